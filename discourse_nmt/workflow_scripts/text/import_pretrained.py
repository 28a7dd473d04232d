"""Convert a pretrained checkpoint into a sentence Transformer for the vocabularies of a corpus."""

from pathlib import Path

from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.pretrained import known_layout, rows_of, subwords_of
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.pretrained import read_pretrained, sentence_model
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read the checkpoint in the text settings and the vocabularies made from it, write a model file."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON"
    )
    for side in SIDES:
        parser.add_argument(f"--{side}-vocabulary", type=Path, required=True, help=f"vocabulary of the {side} side")
    parser.add_argument("--output", type=Path, required=True, help="model to write (safetensors)")
    options = parser.parse_args()

    settings = TextSettings.from_mapping(options.text_settings)
    subwords = subwords_of(settings)
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    layouts = {side: known_layout(subwords[side]) for side in SIDES}
    pretrained = read_pretrained(str(settings.source.pretrained), layouts["target"].marks)
    for side, layout in layouts.items():
        pretrained.check_symbols(layout.rows, side)
    network = sentence_model(
        pretrained,
        rows_of(subwords["source"], source),
        rows_of(subwords["target"], target),
        shared=source.fingerprint == target.fingerprint,
    )
    save_model(options.output, network, "transformer", pretrained.settings, source, target)


if __name__ == "__main__":
    run(main)
