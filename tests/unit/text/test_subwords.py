"""BPE: parity with subword-nmt, determinism, and round trips of any text."""

import io
import json
import random
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE, read_vocabulary
from subword_nmt.learn_joint_bpe_and_vocab import learn_joint_bpe_and_vocab

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import SPECIALS, UNKNOWN, Vocabulary, words_of
from discourse_nmt.text.learning import learn_segmentations
from discourse_nmt.text.settings import SIDES, Side, SideSettings, TextSettings
from discourse_nmt.text.spelling import escaped, spelling, unescaped
from discourse_nmt.text.subwords import Encoder, Segmentation, SubwordSegmenter, count_subwords, learn_codes
from discourse_nmt.text.tokenisers import Tokens
from discourse_nmt.text.writing_systems import spaces

TEXTS: dict[Side, str] = {
    "source": "the lower lowest low tower of the newest town shows the slower widow a flower in the town now",
    "target": "der letzte Turm der neuesten Stadt zeigt der langsamen Witwe eine Blume in der Stadt von heute an",
}
COUNTS: dict[Side, Counter[str]] = {side: Counter(f"{text} {text[:40]}".split()) for side, text in TEXTS.items()}


PLAIN = spelling(SideSettings("en", spacing="rules", truecase=False))


def in_a_row(tokens: list[str]) -> Tokens:
    """Tokens with a space between any two."""
    return Tokens(tokens, [], [], spaces(tokens))


def text_settings(**bpe: object) -> TextSettings:
    return TextSettings.from_mapping({"source_language": "en", "target_language": "de", "bpe": bpe})


@pytest.mark.parametrize("threshold", [0, 3])
def test_joint_learning_is_that_of_subword_nmt(tmp_path: Path, threshold: int) -> None:
    for side in SIDES:
        lines = (word for word, count in COUNTS[side].items() for _ in range(count))
        (tmp_path / side).write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = {name: SimpleNamespace(name=str(tmp_path / name)) for name in ("source", "target", "codes", "vs", "vt")}
    learn_joint_bpe_and_vocab(
        SimpleNamespace(
            input=[names["source"], names["target"]],
            vocab=[names["vs"], names["vt"]],
            output=names["codes"],
            symbols=40,
            separator="@@",
            min_frequency=2,
            total_symbols=False,
            num_workers=1,
            verbose=False,
        )
    )
    learnt = learn_segmentations(COUNTS, text_settings(merges=40, vocabulary_threshold=threshold))
    codes = (tmp_path / "codes").read_text(encoding="utf-8")
    assert list(learnt["source"][0].codes or ()) == codes.splitlines()[1:]
    for side, name in zip(SIDES, ("vs", "vt")):
        counts = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        known = read_vocabulary(counts, threshold) if threshold else None
        reference = BPE(io.StringIO(codes), vocab=known)
        assert learnt[side][0].known == known
        for word in [*COUNTS["source"], *COUNTS["target"], "unseen", "tow", "Zürich"]:
            assert SubwordSegmenter(learnt[side][0]).subwords(word) == reference.segment(word).split()


def test_joint_vocabulary_is_shared_and_holds_every_training_subword() -> None:
    learnt = learn_segmentations(COUNTS, text_settings(merges=30))
    assert learnt["source"] == learnt["target"]
    vocabulary = learnt["source"][1]
    for side in SIDES:
        ids, words = Encoder(*learnt[side], PLAIN).encode(in_a_row(list(COUNTS[side])))
        assert UNKNOWN not in ids
        assert words == sorted(words) and set(words) == set(range(len(COUNTS[side])))
        assert words_of(vocabulary.symbol(number) for number in ids) == list(COUNTS[side])


def test_separate_learning_uses_one_side_only() -> None:
    settings_ = text_settings(joint=False, merges={"source": 10, "target": 5})
    learnt = learn_segmentations(COUNTS, settings_)
    assert learnt["target"][0].codes == learn_codes(COUNTS["target"], 5)
    assert len(learnt["source"][0].codes or ()) == 10 and learnt["source"][1] != learnt["target"][1]


def test_vocabularies_of_both_sides_have_sizes_of_their_own() -> None:
    settings_ = text_settings(joint=False, merges=10, vocabulary_size={"source": 9, "target": 7})
    learnt = learn_segmentations(COUNTS, settings_)
    assert [len(learnt[side][1]) for side in SIDES] == [len(SPECIALS) + 9, len(SPECIALS) + 7]


def test_thresholds_of_both_sides_are_their_own() -> None:
    settings_ = text_settings(joint=False, merges=40, vocabulary_threshold={"source": 0, "target": 3})
    learnt = learn_segmentations(COUNTS, settings_)
    assert learnt["source"][0].known is None and learnt["target"][0].known is not None


def test_merges_into_rare_subwords_are_undone_where_possible() -> None:
    plain = learn_segmentations(COUNTS, text_settings(merges=40))
    strict = learn_segmentations(COUNTS, text_settings(merges=40, vocabulary_threshold=3))
    for side in SIDES:
        rare = {symbol for symbol, count in count_subwords(COUNTS[side], plain[side][0]).items() if count < 3}
        left = {symbol for symbol, count in count_subwords(COUNTS[side], strict[side][0]).items() if count < 3}
        assert any(len(symbol.removesuffix("@@")) > 1 for symbol in rare)
        assert all(len(symbol.removesuffix("@@")) == 1 for symbol in left)


def test_a_threshold_that_nothing_reaches_is_refused() -> None:
    with pytest.raises(InputError, match="vocabulary_threshold 1000 leaves no subword of en"):
        learn_segmentations(COUNTS, text_settings(merges=10, vocabulary_threshold=1000))


def test_learning_ignores_the_order_of_words() -> None:
    words = list(COUNTS["source"].items())
    for seed in range(3):
        shuffled = dict(random.Random(seed).sample(words, len(words)))
        assert learn_codes(shuffled, 30) == learn_codes(COUNTS["source"], 30)


def test_word_vocabulary_is_capped_and_the_rest_is_unknown() -> None:
    learnt = learn_segmentations(COUNTS, text_settings(joint=False, merges=0, vocabulary_size=3))
    segmentation, vocabulary = learnt["source"]
    assert segmentation.codes is None and len(vocabulary) == len(SPECIALS) + 3
    ids, words = Encoder(segmentation, vocabulary, PLAIN).encode(in_a_row(["the", "widow", "the"]))
    assert ids[0] == ids[2] != UNKNOWN and ids[1] == UNKNOWN and words == [0, 1, 2]


@pytest.mark.parametrize("counts", [{}, {"a": 5}, {"ab": 1}, {"ab": 9}, {escaped("<s>"): 3, escaped("@@"): 3}])
def test_tiny_corpora_can_be_learnt_and_applied(counts: dict[str, int]) -> None:
    codes = learn_codes(counts, 10)
    word = escaped("ab@@<s>")
    assert words_of(SubwordSegmenter(Segmentation(codes)).subwords(word)) == [word]


reserved = ["￭", "@@", "@", "@@@", "<s>", "</s>", "<unk>", "<pad>", "</w>", "&#64;", "&#", "&", "w>", "low", "der"]
tokens_of = st.lists(
    st.one_of(
        st.lists(st.sampled_from(reserved), min_size=1, max_size=4).map("".join),
        st.text(min_size=1).filter(lambda token: not any(map(str.isspace, token))),
    )
)
ODD_TOKENS = {"<s>": 9, "a@@": 8, "</w></w>": 7, "x</w>": 7, "&#64;": 6, "<unk><unk>": 5, "lower": 4, "@": 9, "b@": 9}
ODD = Counter({escaped(token): count for token, count in ODD_TOKENS.items()})
LEARNT = [
    Segmentation(None),
    Segmentation(learn_codes(ODD, 1)),
    Segmentation(learn_codes(ODD, 60)),
    learn_segmentations(COUNTS, text_settings(merges=40, vocabulary_threshold=3))["source"][0],
]


@pytest.mark.parametrize("segmentation", LEARNT)
@settings(deadline=None)
@given(tokens=tokens_of)
def test_every_text_survives(segmentation: Segmentation, tokens: list[str]) -> None:
    segmenter = SubwordSegmenter(segmentation)
    pieces = [segmenter.subwords(escaped(token)) for token in tokens]
    flat = [symbol for word in pieces for symbol in word]
    assert list(map(unescaped, words_of(flat))) == tokens
    assert not set(flat) & set(SPECIALS)
    vocabulary = Vocabulary.from_counts(Counter(flat))
    ids, words = Encoder(segmentation, vocabulary, PLAIN).encode(in_a_row(tokens))
    assert [vocabulary.symbol(number) for number in ids] == flat
    assert words == [number for number, word in enumerate(pieces) for _ in word]


@pytest.mark.parametrize("segmentation", LEARNT)
def test_saved_and_loaded_is_equal(tmp_path: Path, segmentation: Segmentation) -> None:
    segmentation.save(tmp_path / "bpe.json")
    assert Segmentation.load(tmp_path / "bpe.json") == segmentation


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"codes": []},
        {"codes": "a b", "known": None},
        {"codes": ["a"], "known": None},
        {"codes": [], "known": [1]},
    ],
)
def test_other_json_is_refused_by_name(tmp_path: Path, content: object) -> None:
    (tmp_path / "bpe.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"bpe\.json: "):
        Segmentation.load(tmp_path / "bpe.json")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "not a BPE model: JSON with codes and known is expected"),
        ({"codes": None}, "not a BPE model: JSON with codes and known is expected"),
        ({"codes": [1], "known": None}, "not a BPE model: codes is not a list of strings"),
        ({"codes": None, "known": "a"}, "not a BPE model: known is not a list of strings"),
        ({"codes": ["a b", "a b c"], "known": None}, "merge 2 is not two subwords: 'a b c'"),
    ],
)
def test_other_files_are_no_models(tmp_path: Path, content: object, message: str) -> None:
    (tmp_path / "codes.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        Segmentation.load(tmp_path / "codes.json")
