"""Score the references of a dataset by a trained model: as it reads the text, and beside controls.

A control takes something away from what the same model reads: the rest of the document or one side of it, the trees, or
their fit to the text. The differences are the information that it takes from them (CXMI, Fernandes et al. 2021). The
score is the sum of the log-probabilities (nats) of the subwords of a sentence and of its end; earlier target sentences
are references.
"""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.models.systems import system_named
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.trained import TrainedModel, open_trained
from discourse_nmt.training.data.dataset import KEYS, Side
from discourse_nmt.training.data.parts import stretches_of
from discourse_nmt.training.kinds import STRUCTURES
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.workflow_scripts.command import add_model_arguments, arguments, run

CONTROLS = ("without_context", "without_source_context", "without_target_context", "without_trees", "shuffled_trees")
SETTINGS: dict[str, dict[str, Any]] = {
    "without_context": {"use_context": False},
    "without_source_context": {"use_tree": False},
    "without_target_context": {},
    "without_trees": {"use_tree": False},
}
"""By control: settings of decoding under which the model reads less."""
READ: dict[str, ContextRead] = {"without_source_context": "target", "without_target_context": "source"}
"""By control: the side of the context that is left."""


def reference_scores(
    trained: TrainedModel, settings: DecodingSettings, label: str, context: ContextRead = "both"
) -> list[float]:
    """The log-probability (nats) of the target of each row, with what ``settings`` and ``context`` let be read."""
    scores: list[float] = []
    for first, last in stretches_of(trained.dataset.documents):
        task = trained.task_of(first, last)
        rows, targets = range(last - first), task.dataset.target.sentences()
        scored = task.scores(trained.network, rows, targets, settings, context)
        found = dict(progress(scored, label, "sentences", total=len(rows)))
        scores += [found[row] for row in rows]
    return scores


def word_counts(side: Side) -> np.ndarray:
    """The number of words of each row, int64 ``[rows]``: every word has a subword, and they are in order."""
    last = side.words[np.maximum(side.offsets[1:], 1) - 1].astype(np.int64) if len(side.words) else 0
    return np.where(side.lengths > 0, last + 1, 0)


def main() -> None:
    """Read a dataset and a model, write the reference_scores table."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset whose references are scored (Arrow)")
    parser.add_argument("--controls", nargs="+", required=True, choices=CONTROLS, help="what is scored besides")
    parser.add_argument("--output", type=Path, required=True, help="reference_scores table to write (Parquet)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    read = parse_settings(DecodingSettings, options.settings, "decoding")
    vocabularies = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    device = device_named(options.device)
    card = parse_card(read_metadata(options.model), options.model)
    kind = system_named(card.system).switches(card.settings).decoding_structure(read.use_tree)

    def opened(settings: DecodingSettings) -> TrainedModel:
        return open_trained(options.model, options.dataset, options.structure, vocabularies, settings, device)

    trained = opened(read)
    frame = trained.dataset.table.select(KEYS).to_pandas()
    frame = frame.assign(words=word_counts(trained.dataset.target), score=reference_scores(trained, read, "references"))
    for control in options.controls:
        controlled, settings = trained, read
        if control == "shuffled_trees" and f"shuffled_{kind}" in STRUCTURES:
            other = open_structure(f"shuffled_{kind}", options.structure, trained.dataset, len(vocabularies[1]))
            controlled = replace(trained, structures=other)
        elif control in SETTINGS and (control != "without_trees" or STRUCTURES[kind].tree):
            settings = replace(read, **SETTINGS[control])
            controlled = opened(settings)
        else:
            logging.info(f"{control}: not scored, as the model reads no such trees")
            continue
        frame[control] = reference_scores(controlled, settings, control, READ.get(control, "both"))
    write_table(frame, options.output, "reference_scores")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens")
