"""Take over the model of another experiment, with its metrics, to decode it in another way."""

import shutil
from pathlib import Path

from discourse_nmt.corpus.storage.files import replacing, verified
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, copy."""
    parser = arguments(__doc__)
    parser.add_argument("--model", required=True, type=Path, help="trained model")
    parser.add_argument("--metrics", required=True, type=Path, help="metrics of its training")
    parser.add_argument("--output", required=True, type=Path, help="where the model is written")
    parser.add_argument("--output-metrics", required=True, type=Path, help="where its metrics are written")
    options = parser.parse_args()

    for source, copy in ((options.model, options.output), (options.metrics, options.output_metrics)):
        with replacing(copy) as temporary:
            shutil.copyfile(verified(source), temporary)


if __name__ == "__main__":
    run(main)
