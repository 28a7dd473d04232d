"""Test suites as plans: the real files of every format, and miniatures that tests write and damage."""

import json
from pathlib import Path
from typing import Any

from discourse_nmt.corpus.suites.importing import ImportedSuite, import_suite
from discourse_nmt.corpus.suites.plan import plan

LANGUAGES = ("en", "de")
TEMPLATES = (
    "1_entity_step",
    "2_coreference_step/event/happened",
    "2_coreference_step/pleonastic/rain",
)

GROUP: dict[str, Any] = {
    "src": "It rained . _eos She left . _eos He stayed .",
    "dst": ["Es regnete . _eos Sie ging . _eos Er blieb .", "Es goss . _eos Sie ging . _eos Er bleibt ."],
    "true_ind": 0,
    "ctx_dist": 2,
}
ANAPHORA = {
    "src": ["The cat sleeps.", "It is old."],
    "trg": [
        {
            "correct": ["Die Katze schläft.", "Sie ist alt."],
            "incorrect": ["Die Katze schläft.", "Er ist alt."],
            "type": "f.sg",
        },
        {
            "semi-correct": ["Der Kater schläft.", "Er ist alt."],
            "incorrect": ["Der Kater schläft.", "Sie ist alt."],
            "type": "m.sg",
        },
    ],
}
FORM = {
    "src segment": "I do.",
    "ref segment": "Ich glaube es.",
    "expected": "glaube",
    "ante distance": 1,
    "rule": "DO.ELL",
}
# By name of a file: its lines, or its value in JSON.
MINIATURES: dict[str, dict[str, Any]] = {
    "voita": {"files": {"deixis.json": [GROUP, {**GROUP, "true_ind": 1}]}},
    "contrapro": {
        "source": {"en": ["The cat. <SEP> It is old."] * 3 + ["<SEP> It is new."] * 2},
        "target": {
            "de": [
                *(f"Die Katze. <SEP> {word} ist alt." for word in ("Sie", "Er", "Es")),
                *(f"<SEP> {word} ist neu." for word in ("Er", "Sie")),
            ]
        },
        "groups": {"groups.txt": ["0", "3", "5"]},
    },
    "contracat": {
        "source": {"step/en.txt": ["The cat. <SEP> It is old."] * 3},
        "target": {"step/de.txt": [f"Die Katze. <SEP> {word} ist alt." for word in ("Er", "Sie", "Es")]},
        "genders": {"step/genders.txt": ["f"] * 3},
    },
    "discevalmt": {"files": {"anaphora.json": {"1": ANAPHORA, "2": ANAPHORA}}},
    "ctxpro": {
        "files": {"auxiliary.json": [FORM]},
        "source": {"auxiliary.en": ["Who believes it?<eos> Nobody.<eos> I do."]},
    },
}


def section(folder: Path, kind: str, **files: Any) -> dict[str, Any]:
    """Write the miniature of a format and return its section of the configuration.

    ``files`` are roles whose contents differ; None leaves the role out.
    """
    found: dict[str, Any] = {"format": kind}
    for role, contents in {**MINIATURES[kind], **files}.items():
        for name, content in (contents or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = json.dumps(content) if name.endswith(".json") else "".join(f"{line}\n" for line in content)
            path.write_text(lines, encoding="utf-8")
            found.setdefault(role, []).append(str(path))
    return found


def real(data: Path) -> dict[str, dict[str, Any]]:
    """The sections of the real suites, by format."""
    folder = data / "contrastive"
    contrapro, ctxpro = folder / "contrapro_ende", folder / "ctxpro_ende"
    text = str(contrapro / "contrapro_first1200")
    templates = f"{contrapro}/contracat_templates.tar.gz::contracat_templates"
    consistency, discourse = folder / "voita_consistency_enru", folder / "discevalmt_enfr" / "test-sets"
    return {
        "voita": {"files": [str(consistency / f"{name}_dev.json.gz") for name in ("deixis", "lex_cohesion")]},
        "contrapro": {
            "source": [f"{text}.en.txt.gz"],
            "target": [f"{text}.de.txt.gz"],
            "groups": [f"{text}.sentence_groups.txt"],
        },
        "contracat": {
            role: [f"{templates}/{name}/{file}.txt" for name in TEMPLATES]
            for role, file in (("source", "en"), ("target", "de"), ("genders", "genders"))
        },
        "discevalmt": {"files": [str(discourse / f"{name}.json") for name in ("anaphora", "lexical-choice")]},
        "ctxpro": {
            "files": [str(ctxpro / "auxiliary.en-de.dev.json")],
            "source": [str(ctxpro / "auxiliary.en-de.dev.context.en")],
        },
    }


def imported(kind: str, values: dict[str, Any], **more: Any) -> ImportedSuite:
    """The suite of a section, called like its format."""
    return import_suite(kind, plan({**values, "format": kind, **more}, LANGUAGES))
