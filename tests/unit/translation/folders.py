"""A small model folder: an untrained sentence model of English to German, with text models of a few sentences."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.models.switches.decoding import LISTED, DecodingSettings
from discourse_nmt.models.systems import build, system_named
from discourse_nmt.text.learning import learn_segmentations
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.spelling import spelling
from discourse_nmt.text.stages import count_words, sentences_of, tokenise
from discourse_nmt.text.truecasing import learn_casing, load_casing, save_casing
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.subword_translations import save_translations
from discourse_nmt.translation.manifest import VERSION, AnalysisRecipe, Manifest, Origin
from discourse_nmt.translation.model_folder import SUBWORD_TRANSLATIONS, write_folder
from discourse_nmt.translation.preparation import sentences_table

TEXT = {"source_language": "en", "target_language": "de", "bpe": {"merges": 30}}
ENGLISH = ["The cat sat on the mat.", "A dog saw the cat, and it ran away.", "Was the dog big?"]
GERMAN = ["Die Katze saß auf der Matte.", "Ein Hund sah die Katze, und sie lief weg.", "War der Hund groß?"]
ORIGIN = Origin(corpus="animals", experiment="sentence", seed=1, code="discourse-nmt 0", date="2020-01-01")


def make_folder(
    place: Path,
    system: str = "transformer",
    recipe: AnalysisRecipe | None = None,
    text: dict[str, Any] = TEXT,
    drafted: bool = False,
    shortlist: int = 0,
    **switches: Any,
) -> Path:
    """Write such a folder at ``place``; the files that it is made of lie beside it.

    With a ``shortlist`` all subwords have the same translations, the first subwords of the target vocabulary.
    """
    parts = place.with_name(f"{place.name}.parts")
    settings = TextSettings.from_mapping(text)
    tokens = tokenise(sentences_table([ENGLISH]).assign(target=GERMAN), settings)
    files = {}
    for side in SIDES:
        files[f"{side}/truecase.json"] = parts / f"{side}.truecase.json"
        save_casing(learn_casing(sentences_of([tokens], side), settings.of(side)), files[f"{side}/truecase.json"])
    spellings = {side: spelling(settings.of(side), load_casing(files[f"{side}/truecase.json"])) for side in SIDES}
    learnt = learn_segmentations(count_words([tokens], spellings), settings)
    for side, (model, vocabulary) in learnt.items():
        files |= {f"{side}/bpe.json": parts / f"{side}.bpe", f"{side}/vocabulary.json": parts / f"{side}.vocabulary"}
        model.save(files[f"{side}/bpe.json"])
        vocabulary.save(files[f"{side}/vocabulary.json"])
    torch.manual_seed(1)
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 32, "heads": 2}
    values = system_named(system).switches({**sizes, **switches})
    vocabularies = learnt["source"][1], learnt["target"][1]
    network = build(system, vars(values), len(vocabularies[0]), len(vocabularies[1]), shared=True)
    files["weights.safetensors"] = parts / "model.safetensors"
    save_model(files["weights.safetensors"], network, system, values, *vocabularies)
    if shortlist:
        files[SUBWORD_TRANSLATIONS] = parts / SUBWORD_TRANSLATIONS
        translations = np.tile(len(SPECIALS) + np.arange(LISTED), (len(vocabularies[0]), 1))
        save_translations(files[SUBWORD_TRANSLATIONS], translations % len(vocabularies[1]), vocabularies)
    manifest = Manifest(
        format=VERSION,
        system=system,
        text=text,
        decoding=DecodingSettings(beam=2, max_length_ratio=0.5, max_length_offset=2, shortlist=shortlist),
        analysis=recipe or AnalysisRecipe(),
        origin=ORIGIN,
        licence="CC0",
        drafted=drafted,
        files={},
    )
    write_folder(place, files, manifest, "Weights of the network: CC0.\n")
    return place
