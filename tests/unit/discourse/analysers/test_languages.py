"""Languages beside English: treebanks made into what the analysers learn from, and the shipped weights."""

from pathlib import Path

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.analysers.analyser import states_of
from discourse_nmt.discourse.analysers.characters import DICTIONARY_KINDS, CharacterFeatures, kind_of
from discourse_nmt.discourse.analysers.examples import fold_of
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter, notice_of, save_segmenter
from discourse_nmt.discourse.formats.conllu import (
    EMPTY,
    Sentence,
    documents_of,
    edus_of_sentences,
    read_conllu,
    write_conllu,
)
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.pipeline import load_pipeline
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.discourse.treebanks.chinese import RELATIONS, UPOS, universal
from discourse_nmt.discourse.treebanks.edu_marks import mark_edus
from discourse_nmt.discourse.treebanks.examples import paragraphs_of
from discourse_nmt.discourse.treebanks.merging import divide_spaced, merge_contractions, merge_hyphenated
from discourse_nmt.discourse.treebanks.preparation import documents_by_name, first_documents, in_part, plain_brackets
from discourse_nmt.discourse.treebanks.spacing import divide_paragraphs, restore_spaces, space_after
from discourse_nmt.text.detokenisers import join_unspaced, moses
from tests.conftest import ROOT
from tests.unit.discourse.analysers.test_commands import command

WEIGHTS = ROOT / "resources" / "analysers"


def sentence(*rows: str, comments: tuple[str, ...] = ()) -> Sentence:
    """A sentence of rows ``id form lemma upos head deprel misc``."""
    lines = []
    for row in rows:
        number, form, lemma, upos, head, deprel, misc = row.split(" ")
        lines.append("\t".join((number, form, lemma, upos, EMPTY, EMPTY, head, deprel, EMPTY, misc)))
    [result] = read_conllu("\n".join((*comments, *lines)) + "\n\n", "test")
    return result


def table(one: Sentence) -> list[str]:
    return [f"{row.id} {row.form} {row.lemma} {row.upos} {row.head} {row.deprel} {row.misc}" for row in one.rows]


def test_a_contraction_becomes_one_word_and_pieces_stay() -> None:
    before = sentence(
        "1 Sie sie PRON 2 nsubj _",
        "2 kam kommen VERB 0 root _",
        "3-4 zum _ _ _ _ SpaceAfter=No",
        "3 zu zu ADP 5 case _",
        "4 dem der DET 5 det _",
        "5 Fest Fest NOUN 2 obl _",
        "6-7 don't _ _ _ _ _",
        "6 do do AUX 2 dep _",
        "7 n't not PART 6 advmod _",
    )
    assert table(merge_contractions(before)) == [
        "1 Sie sie PRON 2 nsubj _",
        "2 kam kommen VERB 0 root _",
        "3 zum zu ADP 4 case SpaceAfter=No",
        "4 Fest Fest NOUN 2 obl _",
        "5-6 don't _ _ _ _ _",
        "5 do do AUX 2 dep _",
        "6 n't not PART 5 advmod _",
    ]


def test_hyphenated_words_become_one_word() -> None:
    before = sentence(
        "1 Social Social NOUN 5 compound SpaceAfter=No",
        "2 - - PUNCT 1 punct SpaceAfter=No",
        "3 Media Media NOUN 5 compound SpaceAfter=No",
        "4 - - PUNCT 3 punct SpaceAfter=No",
        "5 Nutzer Nutzer NOUN 9 nsubj _",
        "6 - - PUNCT 9 punct _",
        "7 Text Text NOUN 9 obj SpaceAfter=No",
        "8 - - PUNCT 7 punct _",
        "9 lesen lesen VERB 0 root _",
    )
    assert table(merge_hyphenated(before)) == [
        "1 Social-Media-Nutzer Social-Media-Nutzer NOUN 5 nsubj _",
        "2 - - PUNCT 5 punct _",
        "3 Text Text NOUN 5 obj SpaceAfter=No",
        "4 - - PUNCT 3 punct _",
        "5 lesen lesen VERB 0 root _",
    ]


def test_a_word_with_spaces_becomes_several_words() -> None:
    before = sentence(
        "1 Il il PRON 2 nsubj _",
        "2 coûte coûter VERB 0 root _",
        "3 50\u00a0000 50\u00a0000 NUM 5 nummod SpaceAfter=No",
        "4-5 du _ _ _ _ _",
        "4 de de ADP 6 case _",
        "5 le le DET 6 det _",
        "6 kilo kilo NOUN 2 obj _",
    )
    assert table(divide_spaced(before)) == [
        "1 Il il PRON 2 nsubj _",
        "2 coûte coûter VERB 0 root _",
        "3 50 50 NUM 6 nummod _",
        "4 000 000 NUM 3 flat SpaceAfter=No",
        "5-6 du _ _ _ _ _",
        "5 de de ADP 7 case _",
        "6 le le DET 7 det _",
        "7 kilo kilo NOUN 2 obj _",
    ]
    without = sentence("1 Oui oui INTJ 0 root _")
    assert divide_spaced(without) is without


@pytest.mark.parametrize("name", ["fr_pud_first500", "fr_gsd-ud-dev"])
def test_french_treebanks_keep_their_text_and_their_trees(shared_data: Path, name: str) -> None:
    [source] = expand(f"{shared_data}/treebanks/ud_fr/{name}.conllu.gz")
    before = read_conllu(source.text(), source.name)
    after = [divide_spaced(merge_contractions(one)) for one in before]
    assert len(read_conllu(write_conllu(after), "divided")) == len(before)  # the reader checks ids and trees
    assert not any(" " in word.form or "\u00a0" in word.form for one in after for word in one.words)
    texts = [one.comment("text") or "" for one in after]
    assert all(space_after([word.form for word in one.words], text) for one, text in zip(after, texts))


def test_german_pud_keeps_its_text_and_its_trees(shared_data: Path) -> None:
    [source] = expand(f"{shared_data}/treebanks/pud_ende/de_pud_first500.conllu.gz")
    before = read_conllu(source.text(), source.name)
    after = [merge_hyphenated(merge_contractions(one)) for one in before]
    assert len(read_conllu(write_conllu(after), "merged")) == 500  # the reader checks ids and trees
    assert not any("-" in row.id for one in after for row in one.rows)
    texts = [one.comment("text") or "" for one in after]
    assert all(space_after([word.form for word in one.words], text) for one, text in zip(after, texts))


def test_spaces_come_from_the_text_or_from_a_detokeniser() -> None:
    rows = ("1 第 第 NUM 2 nummod _", "2 1 1 NUM 0 root _", "3 版 版 NOUN 2 clf Seg=B-seg")
    from_text = restore_spaces(sentence(*rows, comments=("# text = 第 1版",)), join_unspaced)
    assert [word.misc for word in from_text.words] == [EMPTY, "SpaceAfter=No", "Seg=B-seg"]
    by_rule = restore_spaces(sentence(*rows, comments=("# text = other",)), join_unspaced)
    assert [word.misc for word in by_rule.words] == ["SpaceAfter=No", "SpaceAfter=No", "Seg=B-seg"]
    assert restore_spaces(by_rule, lambda forms: "nothing of it") == by_rule
    with_spaces = restore_spaces(sentence(*rows, comments=("# text = 第 1 版",)), join_unspaced)
    assert with_spaces.rows == by_rule.rows, "a text of words with spaces tells nothing"
    german = sentence("1 Ja ja INTJ 0 root _", "2 , , PUNCT 1 punct _", "3 gut gut ADJ 1 dep _")
    assert [word.misc for word in restore_spaces(german, moses("de")).words] == ["SpaceAfter=No", EMPTY, EMPTY]


@pytest.mark.parametrize(
    ("forms", "text", "spaces"),
    [
        (["a", "b"], "a b", [True, True]),
        (["a", "b"], " ab ", [False, True]),
        (["a", "b"], "abc", None),
        (["a", "b"], "a", None),
    ],
)
def test_words_are_found_in_their_text(forms: list[str], text: str, spaces: list[bool] | None) -> None:
    assert space_after(forms, text) == spaces


def test_edus_are_marked_on_their_first_words() -> None:
    words = [sentence("1 a a X 0 root _", "2 b b X 1 dep SpaceAfter=No"), sentence("1 cd cd X 0 root _")]
    marked = mark_edus(words, ["a", "b", "c d"])
    assert [row.begins_edu for one in marked for row in one.rows] == [True, True, True]
    assert [row.begins_edu for one in mark_edus(words, ["a b", "cd"]) for row in one.rows] == [True, False, True]
    for texts, message in (
        (["a", "b"], "not the words"),
        (["a", "bcd"], "crosses"),
        (["ab", "c", "d"], "EDU 3 begins inside a word"),
    ):
        with pytest.raises(StructureError, match=message):
            mark_edus(words, texts)


def test_every_chinese_tree_fits_its_words(shared_data: Path) -> None:
    archive = f"{shared_data}/treebanks/gcdt_zh/gcdt_train_dev.tar.xz"
    trees = {source.stem: source for source in expand(f"{archive}::rs3/*/*.rs3")}
    documents = expand(f"{archive}::conllu/*/*.conllu")
    assert len(documents) == len(trees) == 45
    tags, relations = set(), set()
    for source in documents:
        sentences = read_conllu(source.text(), source.name)
        texts = [unit.text for unit in read_rs3(trees[source.stem].text(), "rs3").units if unit.type == "segment"]
        assert len(edus_of_sentences(mark_edus(sentences, texts))) == len(texts)
        words = [word for one in sentences for word in universal(one).words]
        tags |= {word.upos for word in words}
        relations |= {word.deprel.partition(":")[0] for word in words}
    assert tags <= {*UPOS.values()}
    universal_relations = (
        "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl "
        "fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative "
        "xcomp"
    )
    assert relations <= set(universal_relations.split())
    assert not {name.partition(":")[0] for name in RELATIONS.values()} - set(universal_relations.split())


def test_brackets_and_parts_of_a_treebank() -> None:
    assert plain_brackets("-LSB- 8 -RSB-, -LRB-a-RRB-") == "[ 8 ], (a)"
    names = [f"document{number}" for number in range(50)]
    held = {name for name in names if in_part(name, 5, "held")}
    assert held == {name for name in names if fold_of(name, 5) == 0} and 0 < len(held) < 25
    assert {name for name in names if in_part(name, 5, "kept")} == set(names) - held
    assert all(in_part(name, 5, "all") for name in names)


def test_some_documents_have_at_least_so_many_sentences() -> None:
    sizes = {f"document{number}": number for number in range(1, 20)}
    chosen = [first_documents(sizes, count) for count in (1, 30, 100)]
    assert chosen[0] < chosen[1] < chosen[2] < set(sizes)
    for count, names in zip((1, 30, 100), chosen):
        taken = [sizes[name] for name in names]
        assert sum(taken) - max(taken) < count <= sum(taken)
    assert first_documents(sizes, 0) == first_documents(sizes, 10**6) == set(sizes)


def test_sentences_without_documents_make_documents(tmp_path: Path) -> None:
    row = "1\tHallo\thallo\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    sentences = read_conllu(row * 45, "gsd")
    documents = documents_by_name(sentences, "de/gsd.conllu.gz", "gsd")
    assert {name: len(group) for name, group in documents.items()} == {"gsd-0001": 20, "gsd-0002": 20, "gsd-0003": 5}
    marked = [any(line == "# newpar" for line in one.comments) for one in documents["gsd-0003"]]
    assert marked == [True, False, True, False, True]
    written = read_conllu(write_conllu(one for group in documents.values() for one in group), "again")
    assert [name for name, _ in documents_of(written)] == list(documents)
    assert [one.rows for one in written] == [one.rows for one in sentences]
    assert documents_by_name([], "empty", "empty") == {}


def test_a_treebank_is_prepared(tmp_path: Path) -> None:
    rows = "1\tHallo\thallo\tINTJ\t_\t_\t0\troot\t_\t_\n2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n"
    (tmp_path / "both.conllu").write_text(f"# newdoc id = a\n{rows}# newdoc_id = b\n{rows}", encoding="utf-8")
    tree = '<rst><header><relations/></header><body><segment id="1">Hallo !</segment></body></rst>'
    (tmp_path / "b.rs3").write_text(tree, encoding="utf-8")
    options = ["--conllu", f"{tmp_path}/both.conllu", "--rst", f"{tmp_path}/*.rs3", "--language", "de"]
    result = command("prepare_treebank", *options, "--steps", "spaces", "--output", f"{tmp_path}/out")
    assert result.returncode == 0, result.stderr
    assert sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("[!.]*.*")) == [
        "conllu/a.conllu",
        "conllu/b.conllu",
        "rs3/b.rs3",
    ]
    assert (tmp_path / "out/conllu/b.conllu").read_text(encoding="utf-8") == "# newdoc_id = b\n" + rows.replace(
        "_\n2", "SpaceAfter=No|Seg=B-seg\n2"
    )


def test_faults_of_a_treebank_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tb\tb\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    for name, text, message in (("a", "c", "the EDUs are not the words"), ("x", "b", "no document x")):
        (tmp_path / f"{name}.rs3").write_text(
            f'<rst><header><relations/></header><body><segment id="1">{text}</segment></body></rst>', encoding="utf-8"
        )
        result = command(
            "prepare_treebank", "--conllu", f"{tmp_path}/a.conllu", "--rst", f"{tmp_path}/{name}.rs3",
            "--language", "zh", "--output", f"{tmp_path}/out",
        )  # fmt: skip
        assert result.returncode == 1 and message in result.stderr and len(result.stderr.splitlines()) == 1
        assert not (tmp_path / "out").exists()


def test_documents_need_names() -> None:
    one = sentence("1 a a X 0 root _")
    named = Sentence(("# newdoc id = z",), one.rows)
    with pytest.raises(InputError):
        documents_by_name([Sentence(("# newdoc id = a/b",), one.rows), named], "file", "stem")


def test_sentences_before_the_first_mark_are_a_document() -> None:
    """As in the Taiga treebank of Russian."""
    first, second = (sentence(f"1 {form} a X 0 root _") for form in "ab")
    marked = Sentence(("# newdoc id = z",), second.rows)
    documents = documents_by_name([first, second, marked], "file", "taiga")
    assert {name: len(group) for name, group in documents.items()} == {"taiga-0001": 2, "z": 1}
    again = read_conllu(write_conllu(one for group in documents.values() for one in group), "again")
    assert [name for name, _ in documents_of(again)] == ["taiga-0001", "z"]


SIZES = {"de": 13_500_000, "fr": 9_000_000, "ru": 9_000_000, "zh": 17_500_000}


@pytest.mark.parametrize("language", SIZES)
def test_shipped_weights(language: str) -> None:
    texts = {
        "de": ["Sie gingen zum Bahnhof, weil sie nach Hause wollten. Das war alles."],
        "fr": ["Ils sont restés à la maison parce qu'ils étaient fatigués. C'est tout."],
        "ru": ["Они остались дома, потому что они устали. Это всё."],
        "zh": ["他说，这部电影很有意思。他们去了火车站。"],
    }[language]
    folder = WEIGHTS / language
    [sentences] = load_segmenter(folder).segment(texts)
    assert len(sentences) == 2
    words = [[texts[0][start:end] for start, end in one.words] for one in sentences]
    assert "".join(word for one in words for word in one) == texts[0].replace(" ", "")
    [document] = load_analyser(folder).analyse([words])
    assert [len(one.edus) for one in document] == [2, 1]
    assert document[0].upos[-1] == "PUNCT" and "VERB" in document[0].upos
    assert sum(file.stat().st_size for file in folder.iterdir()) < SIZES[language]


@pytest.mark.parametrize(
    ("language", "text", "words", "relations"),
    [
        (
            "fr",
            "L'enfant va au marché. M. Dupont l'a-t-il vu ?",
            ["L'", "enfant", "va", "au", "marché", "."],
            ["det", "nsubj", "root", "case", "obl", "punct"],
        ),
        (
            "ru",
            "Мальчик читает новую книгу. Она ему нравится, т. е. он рад.",
            ["Мальчик", "читает", "новую", "книгу", "."],
            ["nsubj", "root", "amod", "obj", "punct"],
        ),
    ],
)
def test_shipped_syntax(language: str, text: str, words: list[str], relations: list[str]) -> None:
    folder = WEIGHTS / language
    [sentences] = load_segmenter(folder).segment([text])
    found = [[text[start:end] for start, end in one.words] for one in sentences]
    assert len(found) == 2 and found[0] == words
    [[first, _]] = load_analyser(folder).analyse([found])
    assert [relation.partition(":")[0] for relation in first.deprels] == relations


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fr", "Nous sommes restés à la maison pour lire le journal. Il était tard."),
        ("ru", "Мы остались дома, чтобы прочитать газету. Было поздно."),
    ],
)
def test_clear_trees(language: str, text: str) -> None:
    [analysis] = load_pipeline(WEIGHTS / language, language).analyse([text])
    assert analysis.structure is not None and len(analysis.edus) == 3
    purpose = analysis.structure.nodes[analysis.structure.leaves[1]]
    assert (purpose.nuclearity, purpose.relation) == ("satellite", "purpose")
    assert notice_of(WEIGHTS / language) == ""


def test_german_trees_need_no_units_of_the_restricted_weights() -> None:
    """An infinitive with *um* is a satellite of purpose, and paragraphs say nothing."""
    analyser, parser = load_analyser(WEIGHTS / "de", units=False), load_rst_parser(WEIGHTS / "de")
    words = [["Sie", "blieben", "zu", "Hause", ",", "um", "viel", "zu", "lesen", "."], ["Sie", "lachten", "viel", "."]]
    [analyses] = analyser.analyse([words], states=True)
    edus = [Span(0, 0, 5), Span(0, 5, 10), Span(1, 0, 4)]
    inputs = [ParserInput(analyses, edus, states_of(analyses), begins) for begins in (None, frozenset([0, 1]))]
    tree, again = parser.parse(inputs)
    assert tree == again
    purpose = tree.nodes[tree.leaves[1]]
    assert (purpose.nuclearity, purpose.relation) == ("satellite", "purpose")
    assert tree.nodes[purpose.parent].last_edu == 1


def test_the_german_units_say_that_they_are_not_for_commercial_use() -> None:
    assert "CC BY-NC-SA" in notice_of(WEIGHTS / "de") and "not for commercial use" in notice_of(WEIGHTS / "de")
    assert notice_of(WEIGHTS / "de", units=False) == notice_of(WEIGHTS / "en") == notice_of(WEIGHTS / "zh") == ""


def test_chinese_writing_is_letters_and_its_marks_are_punctuation() -> None:
    assert kind_of("中") != kind_of("，") == kind_of(",")


def test_the_dictionary_tells_places_in_words() -> None:
    kinds = CharacterFeatures("", dictionary=True).of("我们在北京，ab cd")[1]
    names = [DICTIONARY_KINDS[kind] for kind in kinds]
    assert names[:6] == ["word begins", "word goes on", "letter", "word begins", "word goes on", "punctuation"]
    assert names[6:] == ["lower", "lower", "space", "lower", "lower"]
    assert "word begins" not in {DICTIONARY_KINDS[kind] for kind in CharacterFeatures("").of("我们在北京")[1]}


def test_a_segmenter_with_a_dictionary_is_kept_as_such(tmp_path: Path) -> None:
    torch.manual_seed(1)
    before = Segmenter(SegmenterNetwork(4, 16, dictionary=True), "我们", dictionary=True)
    save_segmenter(before, tmp_path)
    after = load_segmenter(tmp_path)
    assert after.dictionary and after.characters == before.characters
    save_segmenter(Segmenter(SegmenterNetwork(4, 16), "我们"), tmp_path)
    assert not load_segmenter(tmp_path).dictionary


def test_headings_become_paragraphs_and_chinese_sentences_touch() -> None:
    heading = sentence("1 引言 引言 NOUN 0 root _", comments=("# newdoc id = a",))
    text = sentence("1 好 好 ADJ 0 root SpaceAfter=No", "2 。 。 PUNCT 1 punct _")
    sentences = list(divide_paragraphs([heading, text, text, Sentence((), heading.rows)], spaced=False))
    [paragraphs] = paragraphs_of(sentences)
    assert [paragraph.text for paragraph in paragraphs] == ["引言", "好。好。", "引言"]
    [paragraphs] = paragraphs_of(divide_paragraphs([heading, text, text], spaced=True))
    assert [paragraph.text for paragraph in paragraphs] == ["引言", "好。 好。"]
    told = [Sentence((*heading.comments, "# newpar"), heading.rows), text]
    assert list(divide_paragraphs(told, spaced=True)) == told
