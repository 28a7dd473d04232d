"""Projection of mentions over word alignments: worked examples, the command, and what is left out."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.coreference.candidates import candidates_of
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.lexicons.german import GERMAN
from discourse_nmt.discourse.coreference.projection import (
    Projection,
    chains_only,
    project,
    with_repeated_texts,
)
from discourse_nmt.discourse.coreference.resolver import ResolvedMention
from discourse_nmt.discourse.formats.coreference import (
    CoreferenceDocument,
    EntityMention,
    read_conll_coreference,
    read_gum_coreference,
    write_gum_coreference,
)
from discourse_nmt.discourse.structures.mentions import Mention, Span
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.workflow_scripts.parsers.projection import project_coreference
from discourse_nmt.workflow_scripts.parsers.projection.parallel_text import ParallelLines, read_parallel
from discourse_nmt.workflow_scripts.parsers.train_coreference import read_examples, read_syntax
from tests.unit.discourse.test_coreference import random_document, syntax

SAW = syntax("Ann Ann PROPN 2 nsubj\nsaw see VERB 0 root\nthe the DET 5 det\nold old ADJ 5 amod\ndog dog NOUN 2 obj")
SLEPT = syntax("It it PRON 2 nsubj\nslept sleep VERB 0 root")
SAH = syntax(
    "Den der DET 3 det\nalten alt ADJ 3 amod\nHund Hund NOUN 4 obj\nsah sehen VERB 0 root\nAnn Ann PROPN 4 nsubj"
)
SCHLIEF = syntax("Er er PRON 2 nsubj\nschlief schlafen VERB 0 root")


def mention(sentence: int, start: int, end: int, head: int, entity: int, certainty: float = 1.0) -> ResolvedMention:
    spans = Span(sentence, start, end), Span(sentence, head, head + 1)
    return ResolvedMention(Mention(*spans), entity, "animal", certainty)


def projected(links: list[list[int]], mentions: list[ResolvedMention]) -> Projection:
    document = ParallelDocument("d", [SAW, SLEPT], [SAH, SCHLIEF], [0, 1], [0, 1], links)
    return project(document, mentions, GERMAN)


DOG, IT, ANN = mention(0, 2, 5, 4, 1), mention(1, 0, 1, 0, 1), mention(0, 0, 1, 0, 0)


def test_mentions_become_the_candidates_of_the_aligned_heads() -> None:
    found = projected([[4, 3, 0, 1, 2], [0, 1]], [ANN, DOG, IT])
    assert found.document.mentions == (
        EntityMention(0, 3, "2", "animal"),
        EntityMention(4, 5, "1", "animal"),
        EntityMention(5, 6, "2", "animal"),
    )
    assert found.outcomes == {("projected", "chain"): 2, ("projected", "alone"): 1}
    assert chains_only(found.document).mentions == found.document.mentions[::2]
    assert found.document.sentences == (SAH.forms, SCHLIEF.forms)


def test_a_noun_phrase_reaches_over_words_that_are_not_aligned() -> None:
    [dog] = projected([[4, 3, -1, -1, 2], [0, 1]], [DOG]).document.mentions
    assert (dog.start, dog.end) == (0, 3)


def test_each_mention_that_is_left_out_is_counted_with_its_reason() -> None:
    lost = projected([[-1, 3, -1, -1, -1], [1, 1]], [ANN, DOG, IT])
    assert lost.document.mentions == ()
    assert lost.outcomes == {("unaligned", "alone"): 1, ("unaligned", "chain"): 1, ("no candidate", "chain"): 1}
    twice = projected([[2, 3, 0, 1, 2], [0, 1]], [ANN, DOG, IT])
    assert [one.entity for one in twice.document.mentions] == ["2", "2"]  # the chain goes before the single mention
    assert twice.outcomes["place taken", "alone"] == 1


def test_a_head_without_a_link_takes_the_phrase_with_most_aligned_words() -> None:
    [dog] = projected([[4, 3, 0, 1, -1], [0, 1]], [DOG]).document.mentions
    assert (dog.start, dog.end) == (0, 3)


def test_segments_may_divide_sentences_differently() -> None:
    joined = Syntax(
        SAW.forms + SLEPT.forms,
        SAW.upos + SLEPT.upos,
        SAW.xpos + SLEPT.xpos,
        SAW.features + SLEPT.features,
        SAW.lemmas + SLEPT.lemmas,
        SAW.heads + SLEPT.heads,
        SAW.deprels + SLEPT.deprels,
    )
    document = ParallelDocument("d", [joined], [SAH, SCHLIEF], [0], [0, 0], [[4, 3, 0, 1, 2, 5, 6]])
    found = project(document, [DOG, mention(0, 5, 6, 5, 1)], GERMAN)
    assert [(one.start, one.end) for one in found.document.mentions] == [(0, 3), (5, 6)]


def test_chinese_possessives_leave_their_particle() -> None:
    english = syntax("her she PRON 2 nmod:poss\ndog dog NOUN 0 root")
    chinese = syntax("她 她 PRON 3 nmod\n的 的 PART 1 case\n狗 狗 NOUN 0 root")
    document = ParallelDocument("d", [english], [chinese], [0], [0], [[0, 2]])
    found = project(document, [mention(0, 0, 1, 0, 0), mention(0, 0, 2, 1, 1)], CHINESE)
    assert [(one.start, one.end) for one in found.document.mentions] == [(0, 1), (0, 3)]


def named(*mentions: EntityMention) -> list[EntityMention]:
    """The mentions of sentences with dogs, after those written like several of ``mentions`` are added."""
    dog = syntax("Der der DET 2 det\nHund Hund NOUN 3 nsubj\nschlief schlafen VERB 0 root")
    he = syntax("Er er PRON 2 nsubj\nschlief schlafen VERB 0 root")
    sentences = [dog, dog, dog, he, he, he]
    document = CoreferenceDocument("d", tuple(one.forms for one in sentences), tuple(sorted(mentions)))
    return list(with_repeated_texts(document, sentences, GERMAN).mentions)


def test_phrases_written_like_mentions_of_one_entity_alone_join_it() -> None:
    first, second, third = (EntityMention(start, start + 2, "4", "animal") for start in (0, 3, 6))
    assert named(first, third) == [first, second, third]
    assert named(first) == [first]  # one mention does not tell
    assert named(first, replace(third, entity="5")) == [first, replace(third, entity="5")]
    three = [EntityMention(start, start + 1, "4", "animal") for start in (9, 11)]
    assert named(*three) == three  # pronouns refer to many


def test_projections_to_chinese_repeat_names() -> None:
    english = [syntax("Ann Ann PROPN 2 nsubj\nslept sleep VERB 0 root")] * 2 + [SLEPT]
    chinese = [syntax("安娜 安娜 PROPN 2 nsubj\n睡 睡 VERB 0 root")] * 3
    links = [[0, 1], [0, 1], [-1, 1]]  # the third sentence has a pronoun in English
    document = ParallelDocument("d", english, chinese, [0, 1, 2], [0, 1, 2], links)
    found = project(document, [mention(number, 0, 1, 0, 7) for number in range(3)], CHINESE)
    assert [(one.start, one.entity) for one in found.document.mentions] == [(0, "8"), (2, "8"), (4, "8")]
    assert found.outcomes == {("projected", "chain"): 2, ("unaligned", "chain"): 1}
    plain = project(
        document, [mention(number, 0, 1, 0, 7) for number in range(3)], replace(CHINESE, repeats_names=False)
    )
    assert len(plain.document.mentions) == 2


def test_parts_of_a_name_are_one_mention_of_chinese() -> None:
    english = syntax("the the DET 2 det\nking king NOUN 3 nsubj\nJohn John PROPN 0 root\nBrown Brown PROPN 3 flat")
    chinese = syntax("布 布 PROPN 4 nsubj\n· · PUNCT 1 punct\n朗 朗 PROPN 4 nsubj\n去 去 VERB 0 root")

    def place(links: list[int], name: ResolvedMention) -> tuple[int, int]:
        document = ParallelDocument("d", [english], [chinese], [0], [0], [links])
        [found] = project(document, [name], CHINESE).document.mentions
        return found.start, found.end

    brown, john_brown = mention(0, 3, 4, 3, 0), mention(0, 2, 4, 2, 0)
    assert place([-1, 3, -1, 2], brown) == (0, 3)
    assert place([-1, 3, 0, 2], brown) == (2, 3)  # 布 is another English word
    assert place([-1, 3, 0, 2], john_brown) == (0, 3)  # although the aligned head, 布, has only itself


def test_measure_words_need_no_link_and_modifiers_do() -> None:
    english = syntax("a a DET 2 det\nmaid maid NOUN 0 root")
    chinese = syntax("先前 先前 NOUN 4 compound\n一 一 NUM 4 nummod\n个 个 NOUN 2 clf\n女子 女子 NOUN 0 root")
    document = ParallelDocument("d", [english], [chinese], [0], [0], [[-1, 3]])
    [maid] = project(document, [mention(0, 0, 2, 1, 0)], CHINESE).document.mentions
    assert (maid.start, maid.end) == (1, 4)


@pytest.mark.parametrize("seed", range(15))
def test_projected_mentions_are_candidates_and_all_mentions_are_counted(seed: int) -> None:
    pick = random.Random(seed)
    target = [sentence for sentence in random_document(seed) if sentence.forms]
    source = [sentence for sentence in random_document(seed + 100) if sentence.forms][: len(target)]
    target = target[: len(source)]
    links = [[pick.randrange(-1, len(other.forms)) for _ in sentence.forms] for sentence, other in zip(source, target)]
    mentions = [
        mention(number, one.start, one.end, one.head, pick.randrange(6))
        for number, sentence in enumerate(source)
        for one in candidates_of(sentence, GERMAN)
    ]
    numbers = list(range(len(source)))
    found = project(ParallelDocument("d", source, target, numbers, numbers, links), mentions, GERMAN)
    assert sum(found.outcomes.values()) == len(mentions)
    kept = Counter(outcome for outcome, _ in found.outcomes.elements())
    assert kept["projected"] == len(found.document.mentions)
    starts = [sum(len(sentence.forms) for sentence in target[:number]) for number in numbers]
    possible = {
        (starts[number] + one.start, starts[number] + one.end)
        for number, sentence in enumerate(target)
        for one in candidates_of(sentence, GERMAN)
    }
    assert {(one.start, one.end) for one in found.document.mentions} <= possible
    plain = replace(found.document, sentences=tuple(("w",) * len(sentence.forms) for sentence in target))
    [again] = read_gum_coreference(write_gum_coreference([plain]), "d")
    assert again.mentions == found.document.mentions  # crossing mentions could not be read


TEXTS = {
    "a.en": "Mary lives in Paris. She likes the city.\nMary met Peter. He was late.\nThe weather was nice.\n",
    "a.de": "Mary lebt in Paris. Sie mag die Stadt.\nMary traf Peter. Er kam zu spät.\nDas Wetter war schön.\n",
    "b.en": "Peter saw a dog.\nHe likes the dog.\n",
    "b.de": "Peter sah einen Hund.\nEr mag den Hund.\n",
}


def command(monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.setattr("sys.argv", ["project_coreference", *options])
    project_coreference.main()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        write_text(text, tmp_path / "texts" / name)
    return tmp_path / "texts"


def test_the_command_writes_what_training_reads(monkeypatch: pytest.MonkeyPatch, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command(monkeypatch, "--parallel", str(texts), "--to", "de", "--certainty", "0", "--output", str(out))
    sentences = read_syntax([f"{out}/syntax.conllu"])
    examples = read_examples([f"{out}/chains.conll"], sentences, [])
    assert [example.name for example in examples] == ["a", "b"]
    assert [len(sentences["a"]), len(sentences["b"])] == [5, 2]  # lines are divided into sentences
    chains = read_conll_coreference((out / "chains.conll2012").read_text("utf-8"), "c")
    counts = json.loads((out / "counts.json").read_text("utf-8"))
    assert counts["mentions of chains"] == sum(len(document.mentions) for document in chains)
    assert counts["documents"] == 2 and set(counts["chain"]) <= {
        "projected",
        "unaligned",
        "no candidate",
        "place taken",
    }
    words = [word for sentence in chains[1].sentences for word in sentence]
    assert words[-2:] == ["Hund", "."]
    sizes = [Counter(one.entity for one in document.mentions) for document in chains]
    assert sizes[1] and all(count > 1 for document in sizes for count in document.values())
    assert any(len(chain) == 1 for example in examples for chain in example.chains)


@pytest.mark.parametrize("source", ["en", "de"])
def test_tables_are_read_from_either_side(tmp_path: Path, source: str) -> None:
    columns = ("source", "target") if source == "en" else ("target", "source")
    rows = pd.DataFrame(
        {"doc_id": ["a", "a"], "sent_id": [0, 1], columns[0]: ["Hi.", "Bye."], columns[1]: ["Na.", "Ade."]}
    )
    write_table(rows, tmp_path / "s.parquet", "sentences")
    [document] = read_parallel([str(tmp_path / "s.parquet")], ("en", "de"), source)
    assert document == ParallelLines("a", (["Hi.", "Bye."], ["Na.", "Ade."]))


def test_damaged_parallel_text_is_one_line(monkeypatch: pytest.MonkeyPatch, texts: Path, tmp_path: Path) -> None:
    write_text("Ein Satz.\n", texts / "b.de")
    with pytest.raises(InputError, match="1 lines, 2 in"):
        command(monkeypatch, "--parallel", str(texts), "--to", "de", "--output", str(tmp_path / "out"))
    (texts / "b.de").unlink()
    with pytest.raises(InputError):
        command(monkeypatch, "--parallel", str(texts), "--to", "de", "--output", str(tmp_path / "out"))
    (texts / "b.en").unlink()
    with pytest.raises(InputError, match="document a is there twice"):
        command(monkeypatch, "--parallel", str(texts), str(texts), "--to", "de", "--output", str(tmp_path / "out"))
    with pytest.raises(InputError, match="no words of the language it"):
        command(monkeypatch, "--parallel", str(texts), "--to", "it", "--output", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
