"""Make the model folder of a training run: all that the translation of new text needs, with where it comes from."""

import datetime
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt import ROOT, __version__
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import checksum, verified
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.backends.registry import stage_settings
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.tuned_decoding import decoding_settings
from discourse_nmt.translation.manifest import VERSION, AnalysisRecipe, Manifest, Origin
from discourse_nmt.translation.model_folder import (
    ANALYSERS,
    DRAFT,
    SUBWORD_TRANSLATIONS,
    WEIGHTS,
    files_in,
    text_files,
    write_folder,
)
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

NOT_STATED = "not stated; see the terms of the training data"


def program() -> str:
    """Version of the program and, in a Git checkout, its commit; ``-dirty`` marks uncommitted changes."""
    name = f"discourse-nmt {__version__}"
    if not (ROOT / ".git").exists():
        return name
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    described = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"{name}, commit {described.stdout.strip()}" if described.returncode == 0 else name


def best_row(metrics: pd.DataFrame) -> dict[str, object]:
    """The row of metrics.csv with the lowest perplexity on dev, without its missing values."""
    if metrics["dev_perplexity"].isna().all():
        return {}
    row = metrics.sort_values("dev_perplexity", kind="stable").iloc[:1]
    return {str(name): value for name, value in row.to_dict("records")[0].items() if not pd.isna(value)}


def score_rows(paths: Iterable[Path]) -> list[dict[str, str | float]]:
    """The rows of score tables that a model folder keeps."""
    tables = [pd.read_csv(verified(path), sep="\t", keep_default_na=False) for path in paths]
    columns = ["test_set", "metric", "value", "signature"]
    return [dict(zip(columns, row)) for table in tables for row in table[columns].itertuples(index=False)]


def weights_of(analysis: dict[str, Any], languages: dict[str, str]) -> tuple[dict[str, str], dict[str, Path]]:
    """Digests of the files of builtin analysers, and those files that are not the project's own, as LANGUAGE/FILE."""
    digests: dict[str, str] = {}
    own: dict[str, Path] = {}
    for side, language in languages.items():
        for stage, section in analysis.get(side, {}).items():
            settings = stage_settings(stage, section)
            for path in model_files(stage, settings, language) if isinstance(settings, BuiltinSettings) else []:
                name = f"{language}/{path.name}"
                digests[name] = checksum(path)
                if section["weights"] is not None:
                    own[name] = path
    return digests, own


def portable(text: dict[str, object]) -> dict[str, object]:
    """The section ``text`` without the folder of a checkpoint, whose subwords are in the model folder."""
    pretrained = text.get("pretrained")
    return text | {"pretrained": Path(str(pretrained)).name} if pretrained else text


def licence_text(licence: str, analysers: Iterable[str]) -> str:
    """The content of LICENCE.txt."""
    lines = [f"Weights of the network: {licence}."]
    lines += [
        f"It reads the analysers of the language {language}: see resources/analysers/{language}/README.md."
        for language in sorted({name.partition("/")[0] for name in analysers})
    ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Parse the arguments, gather, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--model", type=Path, required=True, help="trained model (safetensors)")
    add("--metrics", type=Path, required=True, help="metrics.csv of its training")
    add("--scores", type=Path, nargs="*", default=[], metavar="FILE", help="score tables of its translations")
    for side in SIDES:
        add(f"--{side}-truecaser", type=Path, required=True, help=f"{side} truecasing model")
        add(f"--{side}-codes", type=Path, required=True, help=f"{side} subword model")
        add(f"--{side}-vocabulary", type=Path, required=True, help=f"{side} vocabulary")
    add("--subword-translations", type=Path, help="translations of subwords, for a model with a shortlist")
    add("--settings", action=JsonObject, required=True, help="section decoding, as JSON")
    add("--tuned", type=Path, help="values of decoding that tune_decoding chose")
    add("--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    add("--analysis", action=JsonObject, required=True, help="the analysis that the model reads, as JSON; {} for none")
    add("--draft", type=Path, help="model folder of the model that translates drafts, for systems that read them")
    add("--data", nargs="*", default=[], metavar="FILE", help="files that the corpus is read from")
    add("--corpus", required=True, help="name of the corpus")
    add("--experiment", required=True, help="name of the experiment")
    add("--seed", type=int, required=True, help="seed of the training")
    add("--licence", default="", help="licence of the weights")
    add("--precision", choices=["fp32", "bf16"], default="fp32", help="of the stored weights (default: %(default)s)")
    add("--output", type=Path, required=True, metavar="FOLDER", help="folder to write")
    options = parser.parse_args()

    files = text_files(vars(options))
    files[WEIGHTS] = options.model
    if options.subword_translations is not None:
        files[SUBWORD_TRANSLATIONS] = options.subword_translations
    text = options.text_settings
    digests, own = weights_of(options.analysis, {side: text[f"{side}_language"] for side in SIDES})
    files |= {f"{ANALYSERS}/{name}": path for name, path in own.items()}
    if options.draft is not None:
        files |= {f"{DRAFT}/{name}": path for name, path in files_in(options.draft).items()}
    data = {Path(name).name: checksum(name) if Path(name).is_file() else None for name in options.data}
    licence = options.licence or NOT_STATED
    manifest = Manifest(
        format=VERSION,
        system=parse_card(read_metadata(options.model), options.model).system,
        text=portable(text),
        decoding=decoding_settings(options.settings, options.tuned),
        analysis=parse_settings(AnalysisRecipe, {**options.analysis, "weights": digests}, "analysis"),
        origin=Origin(
            corpus=options.corpus,
            experiment=options.experiment,
            seed=options.seed,
            code=program(),
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            data=data,
            training=best_row(pd.read_csv(verified(options.metrics))),
            scores=score_rows(options.scores),
        ),
        licence=licence,
        drafted=options.draft is not None,
        files={},
    )
    with tempfile.TemporaryDirectory() as temporary:
        if options.precision == "bf16":
            import torch  # takes seconds, which other folders need not spend

            from discourse_nmt.training.checkpoints.model_files import convert

            files[WEIGHTS] = Path(temporary, WEIGHTS)
            convert(options.model, files[WEIGHTS], torch.bfloat16)
        write_folder(options.output, files, manifest, licence_text(licence, digests))


if __name__ == "__main__":
    run(main)
