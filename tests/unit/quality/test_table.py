"""The table as data and as text."""

from discourse_nmt.quality.table import Finding, aligned, table, warnings

FINDINGS = [
    Finding("words", "source", {"train": 100.0, "test": 3.25}, {"test": "add some"}),
    Finding("a score", "", {"test": 7.0}, {"test": "add some"}),
    Finding("nothing", "target", {}),
]


def test_each_finding_is_a_row_with_its_remedy() -> None:
    frame = table(FINDINGS, ["train", "test"])
    assert list(frame.columns) == ["measure", "side", "train", "test", "remedy"]
    assert frame.to_numpy().tolist() == [
        ["words", "source", "100.0", "3.2", "test: add some"],
        ["a score", "", "", "7.0", "add some"],
        ["nothing", "target", "", "", ""],
    ]


def test_a_split_may_have_the_name_of_a_column() -> None:
    frame = table([Finding("words", "", {"side": 1.0})], ["side"])
    assert frame.to_numpy().tolist() == [["words", "", "1.0", ""]]


def test_columns_are_aligned() -> None:
    assert aligned(FINDINGS, ["train", "test"]) == [
        "measure  side    train  test",
        "words    source  100.0   3.2",
        "a score                  7.0",
        "nothing  target",
    ]


def test_equal_remedies_are_told_once() -> None:
    alike = [
        Finding("one", "source", {"all": 1.0}, {"all": "mend it"}),
        Finding("two", "", {"all": 1.0}, {"all": "mend it"}),
    ]
    assert warnings([*alike, *FINDINGS[2:]]) == ["one, source; two: mend it"]
    assert warnings(FINDINGS) == ["words, source: test: add some", "a score: add some"]
