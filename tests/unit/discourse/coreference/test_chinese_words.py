"""Mentions of a language without spaces: words whose borders, and parses whose attachments, are less certain."""

import numpy as np
import pytest

from discourse_nmt.discourse.coreference.attributes import Attributes, attributes_of
from discourse_nmt.discourse.coreference.baselines import rule_chains
from discourse_nmt.discourse.coreference.candidates import candidates_of
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.coreference.pairs import pairs_of
from discourse_nmt.discourse.structures.syntax import Syntax
from tests.unit.discourse.test_coreference import syntax

# The parse divides the name and hangs its parts, and 后来 and the journal, on the wrong words.
NAME = """
阿尔伯特 阿尔伯特 PROPN 5 nsubj
· · PUNCT 3 punct
魏森 魏森 PROPN 5 nsubj
梅斯 梅斯 PROPN 5 nsubj
去 去 VERB 0 root
了 了 AUX 5 aux
荷兰 荷兰 PROPN 5 obj
"""
FINDING = """
她 她 PRON 3 nmod
的 的 PART 1 case
发现 发现 NOUN 7 nsubj
后来 后来 NOUN 7 nsubj
在 在 ADP 6 case
期刊 期刊 NOUN 3 conj
发表 发表 VERB 0 root
"""
FIELD = "旷野 旷野 NOUN 3 obl\n里 里 ADP 1 case\n走 走 VERB 0 root\n"
SCIENTIST = "化学 化学 NOUN 2 compound\n家 家 PART 3 nsubj\n笑 笑 VERB 0 root\n"


def spans(rows: str, lexicon: ReferringWords = CHINESE) -> set[str]:
    sentence = syntax(rows)
    return {" ".join(sentence.forms[one.start : one.end]) for one in candidates_of(sentence, lexicon)}


def test_a_name_that_the_parse_divides_is_a_candidate() -> None:
    whole = "阿尔伯特 · 魏森 梅斯"
    assert {whole, "魏森 梅斯", "梅斯"} <= spans(NAME)
    assert whole not in spans(NAME, ENGLISH)


def test_mentions_begin_neither_with_a_dot_nor_across_function_words() -> None:
    assert not any(text.startswith("·") for text in spans(NAME))
    assert not any("了 荷兰" in text for text in spans(NAME))  # 了 is no content; verbs may be parts of names
    assert spans("我 我 PRON 2 nsubj\n看 看 VERB 0 root\n她 她 PRON 2 obj") == {"我", "她"}


def test_mentions_begin_with_a_number_not_with_its_measure_word() -> None:
    found = spans("先前 先前 NOUN 4 compound\n一 一 NUM 4 nummod\n个 个 NOUN 2 clf\n女子 女子 NOUN 0 root")
    assert {"先前 一 个 女子", "一 个 女子", "女子"} <= found and "个 女子" not in found


def test_a_noun_may_end_its_phrase_against_the_parse() -> None:
    assert "她 的 发现" in spans(FINDING) and "她 的 发现" not in spans(FINDING, ENGLISH)


def test_particles_and_words_of_place_after_a_noun_are_no_part_of_it() -> None:
    assert spans(FIELD) == {"旷野"}
    assert "她 的" not in spans(FINDING) and "她" in spans(FINDING)


def test_suffixes_are_heads() -> None:
    assert "化学 家" in spans(SCIENTIST) and "化学 家" not in spans(SCIENTIST, ENGLISH)


def sentence_of(words: str) -> Syntax:
    """One noun of several words, the last of which is its head."""
    forms = words.split()
    count = len(forms)
    rows = [f"{form} {form} PROPN {count} compound" for form in forms[:-1]]
    return syntax("\n".join([*rows, f"{forms[-1]} {forms[-1]} PROPN 0 root"]))


def longest(document: list[Syntax]) -> Attributes:
    """Attributes of the whole sentences."""
    every = attributes_of(document, CHINESE)
    whole = [
        index
        for index, (number, one) in enumerate(every.candidates)
        if one.end - one.start == len(document[number].forms)
    ]
    return every.chosen(np.array(whole))


@pytest.mark.parametrize("other", ["魏森 梅斯", "魏森梅斯", "魏 森梅斯"])
def test_texts_are_compared_by_their_characters(other: str) -> None:
    mentions = longest([sentence_of("魏森 梅斯"), sentence_of(other), sentence_of("阿尔伯特 · 魏森梅斯")])
    assert mentions["text"][0] == mentions["text"][1] != mentions["text"][2]
    assert mentions["content"][0] == mentions["content"][1] and mentions["words"][0] == mentions["words"][1]
    assert mentions["words"][0] & ~mentions["words"][2] == 0  # the short name is a part of the long one
    assert mentions["words"][2] & ~mentions["words"][0] != 0
    assert len(pairs_of(mentions).mention) == 3


def test_function_words_are_no_content() -> None:
    mentions = longest([sentence_of("这 个 人"), sentence_of("人")])
    assert mentions["content"][0] == mentions["content"][1] and mentions["text"][0] != mentions["text"][1]


def test_rules_link_names_that_are_divided_differently() -> None:
    document = [sentence_of("魏森 梅斯"), sentence_of("荷兰"), sentence_of("魏森梅斯")]
    [chain] = rule_chains(document, CHINESE, pronouns=False, nouns=True)
    assert [one.span.sentence for one in chain.mentions] == [0, 2]
