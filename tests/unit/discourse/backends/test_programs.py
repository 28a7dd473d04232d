"""The project's programs for parsers that users install, with stand-ins whose functions are those of the packages.

Checked against isanlp_rst 3.2.2, fastcoref 2.1.6 and maverick-coref 1.0.7.
"""

import sys
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput, Stage
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.backends.files.command import make
from discourse_nmt.discourse.settings import PROGRAMS, CommandSettings
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import Row, edus_to_rows, rows_to_tree
from tests.unit.discourse.backends.backend_documents import CONTEXT, EDUS, SENTENCES, document, syntax_rows

# Binary trees of isanlp, right-branching; from a text it makes units of four words, whatever the sentences.
ISANLP = r"""
class DiscourseUnit:
    def __init__(self, id, left=None, right=None, text="", start=0, end=0, relation="", nuclearity="", proba=1.0):
        self.id, self.left, self.right, self.text = id, left, right, text
        self.relation, self.nuclearity, self.start, self.end = relation, nuclearity, start, end

class Parser:
    def __init__(self, model_dir=None, hf_model_name="tchewik/isanlp_rst_v3", hf_model_version=None,
                 relinventory=None, relinventory_idx=0, cuda_device=-1):
        self.version, self.inventory = hf_model_version, relinventory
        assert hf_model_name == "tchewik/isanlp_rst_v3" and cuda_device == -1

    def __call__(self, text):
        words = text.split()
        return self.from_edus([" ".join(words[first:first + 4]) for first in range(0, len(words), 4)])

    def from_edus(self, edus):
        assert all(edu.strip() for edu in edus)
        tree = None
        for number, text in reversed(list(enumerate(edus))):
            leaf = DiscourseUnit(number, text=text, relation="elementary")
            if tree is None:
                tree = leaf
            else:
                relation, nuclearity = ("same unit", "NN") if number else (f"{self.version}({self.inventory})", "SN")
                text = f"{leaf.text} {tree.text}"
                tree = DiscourseUnit(99, leaf, tree, text, relation=relation, nuclearity=nuclearity)
        return {"rst": [tree or DiscourseUnit(0)]}
"""
# The words of persons are one entity, and so are the first and last two words of the document.
FASTCOREF = r"""
class CorefResult:
    def __init__(self, clusters):
        self.clusters = clusters

    def get_clusters(self, as_strings=True):
        assert not as_strings
        return self.clusters

class FCoref:
    def __init__(self, model_name_or_path="biu-nlp/f-coref", device=None, nlp="en_core_web_sm",
                 enable_progress_bar=True):
        assert nlp is None and device == "cpu"
        self.extra = model_name_or_path

    def predict(self, texts, is_split_into_words=False, max_tokens_in_batch=10000, output_file=None):
        assert is_split_into_words and isinstance(texts[0], list) and isinstance(texts[0][0], str)
        found = []
        for words in texts:
            size = len(words)
            he = [(n, n + 1) for n, word in enumerate(words) if word.lower() in ("he", "she", "mary")]
            found.append(CorefResult([he, [(0, 2), (size - 2, size), None, (size - 6, size - 3)]]))
        return found

class LingMessCoref(FCoref):
    def __init__(self, model_name_or_path="biu-nlp/lingmess-coref", **rest):
        super().__init__(model_name_or_path, **rest)
"""
MAVERICK = r"""
class Maverick:
    def __init__(self, hf_name_or_path="sapienzanlp/maverick-mes-ontonotes", device="cuda"):
        assert device == "cpu"

    def predict(self, sample, singletons=False, add_gold_clusters=None, predefined_mentions=None, speakers=None):
        tokens = [word for sentence in sample for word in sentence]
        he = [(n, n) for n, word in enumerate(tokens) if word.lower() in ("he", "she", "mary")]
        size = len(tokens)
        return {"tokens": tokens, "clusters_token_offsets": [he, [(0, 1), (size - 2, size - 1), (size - 6, size - 4)]],
                "clusters_char_offsets": None}
"""


@pytest.fixture(autouse=True)
def stand_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, content in {
        "isanlp_rst/__init__.py": "",
        "isanlp_rst/parser.py": ISANLP,
        "fastcoref/__init__.py": FASTCOREF,
        "maverick/__init__.py": MAVERICK,
    }.items():
        path = tmp_path / "packages" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))


def run(stage: Stage, program: str, form: str, *options: str, documents: list[DocumentInput]) -> list[list[Row]]:
    # -S: neither this project nor its packages are there, as in an environment of the user.
    command = [sys.executable, "-S", f"{{programs}}/{program}.py", "{input}", "{output}", *options]
    results = make(stage, CommandSettings(command, form), CONTEXT).analyse(documents)
    for given, rows in zip(documents, results, strict=True):
        check_rows(stage, given, rows)
    return results


def test_trees_of_isanlp_stand_on_the_given_units() -> None:
    documents = [document("syntax", "edus"), document("syntax", "edus", doc_id="e")]
    [first, second] = run("rst", "rst_trees", "dis", "--version", "gumrrg", documents=documents)
    tree = rows_to_tree(first)
    assert [row["doc_id"] for row in second] == ["e"] * len(first)
    assert len(tree.leaves) == len(EDUS)
    outer, inner = (tree.children[number] for number in (0, tree.children[0][1]))
    # The first unit is a satellite of the others, which are joined; brackets and blanks of a relation would end it.
    assert [(tree.nodes[number].nuclearity, tree.nodes[number].relation) for number in outer] == [
        ("satellite", "gumrrgNone"),
        ("nucleus", "span"),
    ]
    assert [tree.nodes[number].relation for number in inner] == ["same_unit", "same_unit"]


def test_versions_and_inventories_reach_isanlp() -> None:
    options = ("--version", "unirst", "--inventory", "eng.erst.gum")
    [rows] = run("rst", "rst_trees", "dis", *options, documents=[document("syntax", "edus")])
    tree = rows_to_tree(rows)
    assert tree.nodes[tree.children[0][0]].relation == "unirsteng.erst.gum"


def test_units_of_isanlp_end_where_sentences_do() -> None:
    """Units of four words: *He said (twice) "no"*, *because it rained. She*, which is two, and *didn't stay.*"""
    [rows] = run("edus", "rst_trees", "edu_lines", documents=[document("syntax")])
    texts = [SENTENCES[row["sent_id"]][row["start"] : row["end"]] for row in rows]
    assert texts == ['He said (twice) "no"', "because it rained.", "She", "didn't stay."]


def test_one_unit_is_a_tree() -> None:
    tables = {"syntax": syntax_rows(sentences=SENTENCES[1:]), "edus": edus_to_rows("d", [Span(0, 0, 16)])}
    given = DocumentInput("d", SENTENCES[1:], tables)
    [rows] = run("rst", "rst_trees", "dis", documents=[given])
    assert len(rows) == 1


@pytest.mark.parametrize("resolver", ["fcoref", "lingmess", "maverick"])
def test_chains_of_neural_resolvers(resolver: str) -> None:
    """Ends are exclusive in one package and inclusive in the other; a mention across sentences is left out."""
    options = ("--resolver", resolver)
    documents = [document("syntax"), document("syntax", doc_id="e")]
    first, second = run("coreference", "neural_coreference", "conll2012", *options, documents=documents)
    assert {row["doc_id"] for row in second} == {"e"}
    found = [
        [(SENTENCES[one["sent_id"]][one["start"] : one["end"]]) for one in first if one["chain_id"] == chain]
        for chain in sorted({row["chain_id"] for row in first})
    ]
    assert sorted(found) == [["He", "She"], ["He said", "stay."]]


def test_a_package_that_is_missing_or_changes_the_text_is_told(tmp_path: Path) -> None:
    parser = tmp_path / "packages" / "isanlp_rst" / "parser.py"
    # Right on the first text, wrong on others.
    doubled = 'words = text.split()\n        words = words[: words[0] != "Mary"] + words'
    parser.write_text(ISANLP.replace("words = text.split()", doubled), encoding="utf-8")
    with pytest.raises(InputError, match=r"00000\.txt: isanlp_rst has changed the text"):
        run("edus", "rst_trees", "edu_lines", documents=[document("syntax")])
    whole = "reversed(list(enumerate(edus)))"
    some = f'({whole} if "Mary" in edus[0] else [(0, edus[0])])'
    parser.write_text(ISANLP.replace(whole, some), encoding="utf-8")
    with pytest.raises(InputError, match="isanlp_rst has left out units, first"):
        run("rst", "rst_trees", "dis", documents=[document("syntax", "edus")])
    parser.unlink()
    with pytest.raises(InputError, match="No module named 'isanlp_rst"):
        run("edus", "rst_trees", "edu_lines", documents=[document("syntax")])


BROKEN_CHAINS = {
    "empty": ("[]", "finds no mention in 'Mary lost her keys. She found them later.'"),
    "shifted": (
        "[[(a + 1, b + 1) for a, b in he]]",
        "does not find that 'Mary' and 'She' are one person, but lost/found",
    ),
    "outside": ("[[*he, (size, size + 1)]]", r"finds mentions outside the 10 words"),
    "crossing": ("[he, [(2, 6), (5, 8)]]", "finds mentions that cross, 'her keys . She.*' and 'She found them.*'"),
    "apart": ("[[one] for one in he]", "does not find that 'Mary' and 'She' are one person, but Mary, She"),
}


@pytest.mark.parametrize("kind", BROKEN_CHAINS)
@pytest.mark.parametrize("resolver", ["fcoref", "lingmess", "maverick"])
def test_a_resolver_that_fails_on_the_first_text_gets_no_document(kind: str, resolver: str, tmp_path: Path) -> None:
    clusters, fault = BROKEN_CHAINS[kind]
    package, module, rest = {
        "maverick": ("maverick-coref", "maverick", "[he, [(0, 1), (size - 2, size - 1), (size - 6, size - 4)]]"),
    }.get(resolver, ("fastcoref", "fastcoref", "[he, [(0, 2), (size - 2, size), None, (size - 6, size - 3)]]"))
    path = tmp_path / "packages" / module / "__init__.py"
    intact = path.read_text(encoding="utf-8")
    path.write_text(intact.replace(rest, clusters), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != intact
    described(tmp_path, package, "2.1.6")
    described(tmp_path, "transformers", "5.23.0")
    with pytest.raises(InputError, match=fault) as caught:
        run("coreference", "neural_coreference", "conll2012", "--resolver", resolver, documents=[document("syntax")])
    assert f"{package} 2.1.6 (transformers 5.23.0) " in str(caught.value)  # torch is not installed here
    assert "\n" not in str(caught.value)
    assert "install versions that fit together" in str(caught.value)


def described(folder: Path, package: str, version: str) -> None:
    """Metadata of an installed package."""
    path = folder / "packages" / f"{package.replace('-', '_')}-{version}.dist-info" / "METADATA"
    path.parent.mkdir()
    path.write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", encoding="utf-8")


UNITS = '[" ".join(words[first:first + 4]) for first in range(0, len(words), 4)]'
BROKEN_UNITS = {
    "empty": ("[]", "finds no unit in 'Mary lost her keys"),
    "whole": ("[text]", "ends no unit between the sentences in 'Mary"),
    "shifted": ('[" ".join(words[:5]), " ".join(words[5:])]', "ends no unit between the sentences in 'Mary"),
    "crossing": ('[" ".join(words[:5]), " ".join(words[3:])]', "changes the text to"),
}


@pytest.mark.parametrize("kind", BROKEN_UNITS)
def test_a_parser_that_fails_on_the_first_text_gets_no_document(kind: str, tmp_path: Path) -> None:
    units, fault = BROKEN_UNITS[kind]
    parser = tmp_path / "packages" / "isanlp_rst" / "parser.py"
    parser.write_text(ISANLP.replace(UNITS, units), encoding="utf-8")
    described(tmp_path, "isanlp_rst", "3.2.2")
    described(tmp_path, "torch", "2.13.0")
    with pytest.raises(InputError, match=rf"isanlp_rst 3\.2\.2 \(torch 2\.13\.0\) {fault}"):
        run("edus", "rst_trees", "edu_lines", documents=[document("syntax")])
    # Where units are given, the trees on them are tried.
    parser.write_text(ISANLP.replace("for number, text in", "edus = edus[:1]\n        for number, text in"), "utf-8")
    with pytest.raises(InputError, match=r"isanlp_rst 3\.2\.2 .* changes the text to 'Marylostherkeys\.'"):
        run("rst", "rst_trees", "dis", documents=[document("syntax", "edus")])


def test_the_first_text_is_in_the_language_of_the_model(tmp_path: Path) -> None:
    parser = tmp_path / "packages" / "isanlp_rst" / "parser.py"
    parser.write_text(ISANLP.replace(UNITS, "[text]"), encoding="utf-8")
    for options, text in (
        (("--version", "rstreebank"), "Мария потеряла ключи. Она"),
        (("--version", "unirst", "--inventory", "zho.rst.gcdt"), "玛丽丢了钥匙。 她"),
        (("--version", "unirst", "--inventory", "tur.rst.x"), "Mary lost"),
    ):
        with pytest.raises(InputError, match=text):
            run("edus", "rst_trees", "edu_lines", *options, documents=[document("syntax")])


def test_programs_are_files_that_a_job_depends_on() -> None:
    settings = CommandSettings(["python", "{programs}/rst_trees.py", "{input}", "{output}"], "dis")
    assert settings.located == ["python", str(PROGRAMS / "rst_trees.py"), "{input}", "{output}"]
    assert Path(settings.located[1]).is_file()
