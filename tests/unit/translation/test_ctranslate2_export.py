"""A model folder as CTranslate2 loads it."""

from pathlib import Path

import ctranslate2
import numpy as np
import pytest

from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.command_line import main
from discourse_nmt.models.core.inference import translate
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.concat import Concat
from discourse_nmt.models.packed.decoding.inference import translate_instances
from discourse_nmt.models.packed.instances import SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.translation.model_folder import open_folder
from tests.unit.translation.folders import make_folder

GREEDY = DecodingSettings(beam=1, max_length_ratio=0.0, max_length_offset=3)


def export(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str]:
    """The exit status of the command and the last line that it writes."""
    with pytest.raises(SystemExit) as stopped:
        main(["export", *map(str, words)])
    told = capsys.readouterr().out if stopped.value.code == 0 else str(stopped.value)
    return int(stopped.value.code == 0), told.strip()


@pytest.mark.parametrize("marks", ["both", "end", "language"])
def test_a_folder_translates_subwords(marks: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = make_folder(tmp_path / "model", marks=marks)
    done, told = export(capsys, model, "--ctranslate2", "--output", tmp_path / "out")
    assert done and told == f"Written: {tmp_path / 'out'}, which ctranslate2.Translator loads."
    folder = open_folder(model)
    source, target = folder.vocabularies
    network = load_model(folder.weights, source, target).eval()
    assert isinstance(network, Transformer)
    sentence = source.symbols[len(SPECIALS) : len(SPECIALS) + 6]
    [(_, [best])] = translate(network, [[source.ids[symbol] for symbol in sentence]], GREEDY)
    first = [] if network.language_symbol is None else [target.symbols[network.language_symbol]]
    [result] = ctranslate2.Translator(str(tmp_path / "out"), compute_type="float32").translate_batch(
        [list(sentence)], [first], beam_size=1, max_decoding_length=3, min_decoding_length=1, disable_unk=True
    )
    assert result.hypotheses[0] == [target.symbols[symbol] for symbol in best.ids]
    lines = (tmp_path / "out/README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 and (f"[[{first[0]!r}]]" if first else "[SUBWORDS], ") in lines[0]
    assert not list((tmp_path / "out").glob(".*"))


@pytest.mark.parametrize(
    ("marks", "separators", "beginning"),
    [("both", ["</s>", "<s>"], "<s>"), ("end", ["</s>"], "<pad>"), ("language", ["</s>"], "</s>")],
)
def test_a_folder_of_concat_translates_texts(
    marks: str, separators: list[str], beginning: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = make_folder(tmp_path / "model", "concat", marks=marks, target_positions="running")
    done, _ = export(capsys, model, "--ctranslate2", "--output", tmp_path / "out")
    assert done
    *_, source_line, target_line = (tmp_path / "out/README.md").read_text(encoding="utf-8").splitlines()
    assert f"with {' '.join(separators)} between" in source_line and f"followed by {beginning}." in target_line
    folder = open_folder(model)
    source, target = folder.vocabularies
    network = load_model(folder.weights, source, target).eval()
    assert isinstance(network, Concat)
    texts = [source.symbols[len(SPECIALS) + first : len(SPECIALS) + first + 4] for first in (0, 4)]
    ids = [np.array([source.ids[symbol] for symbol in symbols]) for symbols in texts]
    instance = SourceInstance(ids, (), np.empty(0, np.int64), tree=False)
    [(_, [[first], [second]])] = translate_instances(network, [instance], GREEDY)
    prefix = [target.symbols[symbol] for symbol in first.ids] + [beginning]
    language = [] if network.language_symbol is None else [target.symbols[network.language_symbol]]
    [result] = ctranslate2.Translator(str(tmp_path / "out"), compute_type="float32").translate_batch(
        [[*texts[0], *separators, *texts[1]]],
        [prefix + language],
        beam_size=1,
        max_decoding_length=len(prefix) + 3,
        disable_unk=True,
    )
    assert result.hypotheses[0][len(prefix) :] == [target.symbols[symbol] for symbol in second.ids]


def test_a_folder_that_is_there_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    model = make_folder(tmp_path / "model")
    done, told = export(capsys, model, "--ctranslate2", "--output", tmp_path / "out")
    assert not done and f"{tmp_path / 'out'}: there already; name a new folder" in told
    assert not list((tmp_path / "out").iterdir())


def test_a_model_that_cannot_be_expressed_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = make_folder(tmp_path / "model", "han")
    done, told = export(capsys, model, "--ctranslate2", "--output", tmp_path / "out")
    assert not done and not (tmp_path / "out").exists() and "\n" not in told
    assert (
        "CTranslate2 cannot express the model: its system is more than a sentence model; export a sentence model"
        in told
    )


def test_one_format_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", str(tmp_path), "--output", str(tmp_path / "out")])
    assert "--ctranslate2" in capsys.readouterr().err
