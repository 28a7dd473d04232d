"""Raw text: how treebanks are laid out, that spans cover the text, and that chunks and neighbours change nothing."""

from pathlib import Path
from typing import cast

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.analysers import segmentation
from discourse_nmt.discourse.analysers.characters import KINDS, CharacterFeatures, kind_of
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.analysers.weights import load_segmenter, save_segmenter
from discourse_nmt.discourse.evaluation.measures.segmentation import measure_segmentation
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.treebanks.examples import Segmented, paragraphs_of
from discourse_nmt.training.analysers.segmenter import SegmenterSettings, TunedSegmenter, join, train_segmenter
from tests.conftest import ROOT

TREEBANK = """# newdoc id = one
# newpar
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

1\tStay\tstay\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_

# newpar
1-2\tdog's\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_
2\t's\t's\tPART\tPOS\t_\t1\tcase\t_\t_
3\t?\t?\tPUNCT\t.\t_\t1\tpunct\t_\t_

# newdoc id = two
1\tEnd\tend\tNOUN\tNN\t_\t0\troot\t_\t_

"""
TEXTS = [
    "",
    " ",
    "\n\n",
    "Don't go.  He's at www.x.org (now).\n\nMr. Smith's dog — “good”…",
    "\u2028a\u200bb\ud800\U0001f600",
    "x" * 9000,
]


@pytest.fixture(scope="module")
def shipped() -> Segmenter:
    return load_segmenter(ROOT / "resources" / "analysers" / "en")


@pytest.fixture(scope="module")
def untrained() -> Segmenter:
    torch.manual_seed(1)
    characters = "abc. '"
    return Segmenter(SegmenterNetwork(len(characters) + 2, 16), characters)


def words_of(text: str, spans) -> list[str]:  # type: ignore[no-untyped-def]
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize("blanks", ["  ", "    ", " \u00a0\u3000", "\n  ", "  \n", " \n\t", " \r\n "])
def test_any_blanks_part_sentences_and_words_as_one_does(shipped: Segmenter, blanks: str) -> None:
    text = "Mr. Smith's dog ran. It doesn't bark. Why?"
    line_ends = "".join(blank for blank in blanks if blank in "\r\n")
    plain, laid_out = text.replace(" ", line_ends or " "), f"  {text.replace(' ', blanks)} {blanks}"
    expected, found = (
        [words_of(one, sentence.words) for sentence in shipped.segment([one])[0]] for one in (plain, laid_out)
    )
    assert found == expected and (line_ends or len(expected) == 3)


def test_a_treebank_is_laid_out_as_raw_text() -> None:
    first, second = paragraphs_of(read_conllu(TREEBANK, "t.conllu"))
    assert [part.text for part in first] == ["Don't go. Stay!", "dog's?"]
    assert [part.text for part in second] == ["End"]
    assert [words_of(first[0].text, spans) for spans in first[0].sentences] == [["Do", "n't", "go", "."], ["Stay", "!"]]
    assert [words_of(first[1].text, spans) for spans in first[1].sentences] == [["dog", "'s", "?"]]


def test_joined_paragraphs_keep_their_spans() -> None:
    document = next(paragraphs_of(read_conllu(TREEBANK, "t.conllu")))
    joined = join(document, "\n\n")
    assert joined.text == "Don't go. Stay!\n\ndog's?"
    assert [words_of(joined.text, spans) for spans in joined.sentences][2] == ["dog", "'s", "?"]
    perfect = measure_segmentation(
        [joined], [[segmentation.SegmentedSentence(s[0][0], s[-1][1], s) for s in joined.sentences]]
    )
    assert perfect == {"word F1": 100, "sentence F1": 100}


@given(st.text(max_size=80))
@settings(max_examples=60, deadline=None)
def test_every_character_but_space_is_in_exactly_one_word(untrained: Segmenter, text: str) -> None:
    [sentences] = untrained.segment([text])
    flat = [span for sentence in sentences for span in sentence.words]
    assert flat == sorted(flat)
    covered = [place for start, end in flat for place in range(start, end)]
    assert covered == [place for place, mark in enumerate(text) if not mark.isspace()]
    assert all(
        sentence.start == sentence.words[0][0] and sentence.end == sentence.words[-1][1] for sentence in sentences
    )
    assert untrained.tokenise([text]) == [flat]


def test_chunks_and_neighbours_change_nothing(shipped: Segmenter, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*TEXTS, " ".join(TEXTS[3:4] * 9)]
    whole = shipped.segment(texts)
    assert whole == [shipped.segment([text])[0] for text in texts]
    monkeypatch.setattr(segmentation, "CHUNK", 50)
    assert whole == shipped.segment(texts)


class Unsure(torch.nn.Module):
    """Begins a word, or a sentence, at each character with these probabilities."""

    def __init__(self, word: float, sentence: float) -> None:
        super().__init__()
        self.logits = torch.tensor([word, sentence]).logit()

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.logits.expand(len(ids), ids.shape[2], 2)


@pytest.mark.parametrize(
    ("word", "sentence", "expected"),
    [(0.4, 0.7, [["ab", "c"]]), (0.6, 0.7, [["a", "b", "c"]]), (0.4, 0.8, [["ab"], ["c"]])],
)
def test_a_sentence_begins_where_it_is_surer_than_a_word(
    word: float, sentence: float, expected: list[list[str]]
) -> None:
    unsure = cast(SegmenterNetwork, Unsure(word, sentence))
    [found] = Segmenter(unsure, "abc").segment(["ab c"])
    assert [words_of("ab c", one.words) for one in found] == expected


def test_an_empty_line_ends_a_sentence(untrained: Segmenter) -> None:
    for gap in ("\n\n", "\r\n\r\n", "\n \t\n\n"):
        [sentences] = untrained.segment([f"a{gap}b"])
        assert [(sentence.start, sentence.end) for sentence in sentences] == [(0, 1), (1 + len(gap), 2 + len(gap))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't think it's Tom's.", ["I", "do", "n't", "think", "it", "'s", "Tom", "'s", "."]),
        ("They can’t leave, she’ll say.", ["They", "ca", "n’t", "leave", ",", "she", "’ll", "say", "."]),
        ("He cannot (ever) win $5,000.", ["He", "can", "not", "(", "ever", ")", "win", "$", "5,000", "."]),
    ],
)
def test_contractions_are_divided(shipped: Segmenter, text: str, expected: list[str]) -> None:
    [spans] = shipped.tokenise([text])
    assert words_of(text, spans) == expected


def test_abbreviations_end_no_sentence(shipped: Segmenter) -> None:
    text = "Dr. Smith met Mrs. Jones at 5 p.m. in Washington. They talked for an hour. Was it useful? Yes."
    [sentences] = shipped.segment([text])
    assert [text[one.start : one.end] for one in sentences] == [
        "Dr. Smith met Mrs. Jones at 5 p.m. in Washington.",
        "They talked for an hour.",
        "Was it useful?",
        "Yes.",
    ]


def test_kinds_of_characters() -> None:
    kinds = [KINDS[kind_of(mark)] for mark in "\n\u00a0Aa中9.+\u0301\u200b"]
    expected = ["newline", "space", "upper", "lower", "letter", "digit", "punctuation", "symbol", "mark", "other"]
    assert kinds == expected
    ids = CharacterFeatures("a'").of("a’z")
    assert ids[0].tolist() == [2, 3, 1]


def test_training_teaches_the_segmenter(tmp_path: Path) -> None:
    texts = ["Cats sleep. Dogs don't.", "Dogs sleep. Cats don't. Cats run."]
    documents = []
    for text in texts:
        sentences, place = [], 0
        for sentence in text.split(". "):
            words = []
            for word in [*sentence.removesuffix(".").replace("don't", "do n't").split(), "."]:
                start = text.index(word, place)
                place = start + len(word)
                words.append((start, place))
            sentences.append(tuple(words))
        documents.append([Segmented(text, tuple(sentences))])
    trained = train_segmenter(
        documents * 10, SegmenterSettings(width=24, epochs=15, tuned=TunedSegmenter(batch=4, average=0.9))
    )
    figures = measure_segmentation([one[0] for one in documents], trained.segment(texts))
    assert figures == {"word F1": 100, "sentence F1": 100}
    save_segmenter(trained, tmp_path)
    assert load_segmenter(tmp_path).segment(texts) == trained.segment(texts)


def test_figures_on_raw_text(shipped: Segmenter, shared_data: Path) -> None:
    pattern = f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev/conllu/*.conllu"
    documents = [page for one in expand(pattern) for page in paragraphs_of(read_conllu(one.text(), one.name))]
    texts = [join(document, "\n\n") for document in documents]
    figures = measure_segmentation(texts, shipped.segment([one.text for one in texts]))
    assert figures["word F1"] > 99.3
    assert figures["sentence F1"] > 94
