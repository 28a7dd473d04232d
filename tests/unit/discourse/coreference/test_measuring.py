"""Gold chains of MMAX2, rules as baselines, and their figures."""

import json
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.coreference.baselines import rule_chains
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.formats.coreference import EntityMention, read_gum_coreference
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.treebanks.mmax import read_mmax
from discourse_nmt.workflow_scripts.parsers import convert_mmax, measure_coreference
from discourse_nmt.workflow_scripts.parsers.measure_coreference import figures, headed
from tests.conftest import ROOT
from tests.unit.discourse.test_coreference import syntax

FORMS = ("Ann", ",", "she", "slept")
ELEMENTS = "".join(f'<word id="word_{number}">{form}</word>' for number, form in enumerate(FORMS, 1))
WORDS = f"<words>{ELEMENTS}</words>".encode()
SENTENCES = b'<m><markable id="s1" span="word_3..word_4"/><markable id="s0" span="word_1..word_2"/></m>'
CHAINS = """<markables xmlns="www.eml.org/NameSpaces/coref">
<markable id="m1" coref_class="set_7" span="word_1..word_2"/><markable id="m2" coref_class="set_7" span="word_3"/>
<markable id="m3" coref_class="empty" span="word_4"/><markable id="m4" coref_class="set_8" span="{}"/></markables>"""


def test_mmax_mentions_without_punctuation_and_sets() -> None:
    document, left_out = read_mmax("a", WORDS, SENTENCES, CHAINS.format("word_4").encode())
    assert document.sentences == (("Ann", ","), ("she", "slept"))
    assert document.mentions == (
        EntityMention(0, 1, "7", "entity"),
        EntityMention(2, 3, "7", "entity"),
        EntityMention(3, 4, "8", "entity"),
    )
    assert left_out == 0


@pytest.mark.parametrize("span", ["word_1,word_3", "word_2..word_3", "word_2"])
def test_mmax_mentions_in_pieces_or_across_sentences_are_counted(span: str) -> None:
    document, left_out = read_mmax("a", WORDS, SENTENCES, CHAINS.format(span).encode())
    assert left_out == 1 and {one.entity for one in document.mentions} == {"7"}


@pytest.mark.parametrize("span", ["word_4..word_5", "word_0", "word_3..word_2", "", "word_x"])
def test_mmax_spans_outside_the_words_are_one_line(span: str) -> None:
    with pytest.raises(InputError, match="give words from 1 to 4"):
        read_mmax("a", WORDS, SENTENCES, CHAINS.format(span).encode())


def test_damaged_mmax_is_one_line() -> None:
    with pytest.raises(InputError, match="not XML"):
        read_mmax("a", WORDS, SENTENCES, b"<markables>\n<<<<<<< HEAD\n</markables>")
    with pytest.raises(InputError, match="do not divide"):
        read_mmax("a", WORDS, b'<m><markable span="word_1..word_2"/></m>', CHAINS.format("word_4").encode())


def texts(document: list[Syntax], pronouns: bool, nouns: bool) -> list[list[str]]:
    return [
        [" ".join(document[one.span.sentence].forms[one.span.start : one.span.end]) for one in chain.mentions]
        for chain in rule_chains(document, ENGLISH, pronouns, nouns)
    ]


def test_rules_link_the_nearest_that_agrees_and_equal_nouns() -> None:
    document = [
        syntax("Ann Ann PROPN 2 nsubj\nmet meet VERB 0 root\nBob Bob PROPN 2 obj\ndaily daily ADV 2 advmod"),
        syntax("She she PRON 2 nsubj\nlikes like VERB 0 root\nthe the DET 4 det\ndog dog NOUN 2 obj"),
        syntax("A a DET 2 det\ndog dog NOUN 3 nsubj\nsees see VERB 0 root\nhim he PRON 3 obj"),
    ]
    assert texts(document, pronouns=False, nouns=True) == [["the dog", "A dog"]]
    assert texts(document, pronouns=True, nouns=False) == [["Ann", "She"], ["A dog", "him"]]  # a dog may be a he
    assert texts(document, pronouns=True, nouns=True) == [["Ann", "She"], ["the dog", "A dog", "him"]]
    far = [document[0], *(syntax("Go go VERB 0 root"),) * 3, document[1]]
    assert texts(far, pronouns=True, nouns=False) == []
    demonstrative = "those that PRON 3 nsubj\ndogs dog NOUN 1 nmod\nsleep sleep VERB 0 root"
    later = "the the DET 2 det\ndogs dog NOUN 3 nsubj\nbark bark VERB 0 root"
    assert texts([syntax(demonstrative), syntax(later)], pronouns=False, nouns=True) == [["dogs", "the dogs"]]


def test_figures_of_spans_and_of_heads() -> None:
    sentence = syntax("the the DET 2 det\ndog dog NOUN 3 nsubj\nsees see VERB 0 root\nitself it PRON 3 obj")
    gold, predicted = [{(0, 0, 2), (0, 3, 4)}], [{(0, 1, 2), (0, 3, 4)}]
    assert figures([gold], [predicted])["mention F1"] == 50
    assert figures([headed(gold, [sentence])], [headed(predicted, [sentence])])["CoNLL F1"] == 100


def test_commands_from_mmax_to_a_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("01", "02", "03"):
        write_text(WORDS.decode(), tmp_path / "in" / "Basedata" / f"{name}_words.xml")
        write_text(SENTENCES.decode(), tmp_path / "in" / "Markables" / f"{name}_sentence_level.xml")
        write_text(CHAINS.format("word_4"), tmp_path / "in" / "Markables" / f"{name}_coref_level.xml")
    out = str(tmp_path / "out")
    common = ["--mmax", str(tmp_path / "in"), "--language", "en", "--output", out]
    german = ["--mmax", str(tmp_path / "in"), "--language", "de", "--output", str(tmp_path / "german")]
    monkeypatch.setattr("sys.argv", ["convert_mmax", *german, "--part", "all"])
    convert_mmax.main()
    assert {path.suffix for path in (tmp_path / "german" / "text").glob("0*")} == {".de"}
    monkeypatch.setattr("sys.argv", ["convert_mmax", *common, "--part", "odd", "--skip", "02"])
    convert_mmax.main()
    assert [path.name for path in (tmp_path / "out" / "text").glob("0*")] == ["01.en"]
    assert (tmp_path / "out" / "text" / "01.en").read_text() == "Ann ,\nshe slept\n"
    chains = tmp_path / "out" / "coref_conll" / "01.conll"
    assert len(read_gum_coreference(chains.read_text(), "01")[0].mentions) == 3
    weights = str(ROOT / "resources" / "analysers" / "en")
    options = ["--treebank", out, "--language", "en", "--analyser", weights, "--resolver", weights]
    figures_file = tmp_path / "figures.json"
    monkeypatch.setattr(
        "sys.argv", ["measure_coreference", *options, "--chains", str(chains), "--output", str(figures_file)]
    )
    measure_coreference.main()
    measured = json.loads(figures_file.read_text())
    assert measured[str(chains)]["spans"]["CoNLL F1"] == 100
    assert {"both rules", "equal nouns", "nearest agreeing antecedent", weights} < measured.keys()
    assert f"| {chains} | 100.0 |" in capsys.readouterr().out
    write_text(chains.read_text().replace("document 01", "document 09"), chains)
    with pytest.raises(InputError, match="no chains of document 01"):
        measure_coreference.main()
