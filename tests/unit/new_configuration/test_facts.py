"""What ``discourse-nmt new`` counts in a corpus."""

from pathlib import Path

from discourse_nmt.new_configuration.facts import facts_of
from discourse_nmt.new_configuration.recognition import recognise

ROWS = [
    ("a", "It rains.", "Es regnet heute sehr."),
    ("a", "API", "API"),
    ("b", "No.", "Nein, das nicht."),
    ("c", "Yes, please.", "Ja."),
]


def test_each_side_of_a_corpus_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("doc_id\tsource\ttarget\n" + "".join("\t".join(row) + "\n" for row in ROWS))
    facts = facts_of(recognise([str(path)]), ("en", "de"))
    assert (facts.documents, facts.pairs, facts.equal) == (3, 4, 1)
    assert (facts.source_words, facts.target_words) == (6, 9)
    assert facts.text_bytes == sum(len(source) + len(target) for _, source, target in ROWS)
    assert not facts.empty and not facts.repeated_ids and not facts.controls
    assert facts.sentences("target") == [target for _, _, target in ROWS]
