"""Stanza's pipelines (Qi et al. 2020), loaded from a folder of the user, who decides about downloads."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from stanza import DownloadMethod, Pipeline
from stanza.models.common.doc import Document
from stanza.pipeline.core import PipelineRequirementsException

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import Context
from discourse_nmt.discourse.settings import StanzaSettings

DOWNLOADS = {
    "never": DownloadMethod.NONE,
    "missing": DownloadMethod.REUSE_RESOURCES,
    "update": DownloadMethod.DOWNLOAD_RESOURCES,
}
# Codes of languages for which Stanza has several.
LANGUAGES = {"zh": "zh-hans", "no": "nb"}
RESERVED = {
    "lang", "dir", "model_dir", "package", "processors", "logging_level", "verbose", "use_gpu", "device",
    "download_method", "allow_unknown_language", "tokenize_no_ssplit", "tokenize_pretokenized",
    "tokenize_speaker_delim", "coref_use_zeros",
}  # fmt: skip
# Exceptions of loading; Stanza's other exceptions and those of a refused connection are subclasses of these.
FAULTS = (OSError, ValueError, KeyError, RuntimeError, EOFError, PipelineRequirementsException)


# A loaded pipeline: raw text, or the words of each sentence, in; Stanza's document out.
Annotate = Callable[[str | list[list[str]]], Document]


def load_pipeline(settings: StanzaSettings, context: Context, processors: str, **fixed: Any) -> Annotate:
    """A pipeline with the named processors; ``fixed`` are further arguments, which settings cannot change.

    Raises :class:`InputError` for a missing folder, language, model or package, and for a failing network.
    """
    language = settings.language or LANGUAGES.get(context.language, context.language)
    wrong = sorted(settings.options.keys() & RESERVED)
    if wrong:
        raise InputError(f"stanza: options.{wrong[0]} cannot be set", remedy="use the other keys of the stage")
    folder = Path(settings.folder)
    if settings.download == "never" and not (folder / "resources.json").is_file():
        raise InputError(
            "no models of Stanza here (no resources.json) and download is never",
            file=folder,
            remedy="correct folder, or set download: missing to let Stanza download its models",
        )
    try:
        with_models: Annotate = Pipeline(
            language,
            dir=str(folder),
            package=settings.package,
            processors=processors,
            download_method=DOWNLOADS[settings.download],
            use_gpu=settings.use_gpu,
            allow_unknown_language=True,  # for models that are named in options
            logging_level="WARN",
            **{**settings.options, **fixed},
        )
    except ImportError as error:
        raise InputError(f"stanza: {error}", remedy="install transformers and peft for coreference") from None
    except torch.serialization.pickle.UnpicklingError:  # from torch's restricted unpickler, which reads Stanza's models
        raise InputError(
            f"a model file for {processors} is damaged or not a model", file=folder, remedy="get it again"
        ) from None
    except FAULTS as error:
        # For a language without resources, Stanza raises a KeyError while it handles the actual error.
        cause = error.__context__ if isinstance(error, KeyError) and error.__context__ else error
        reason = " ".join(str(cause).split())[:300] or type(cause).__name__
        advice = "set download: missing, or choose a language and package that the folder has"
        if settings.download != "never":
            advice = "check the network, the language and the package"
        raise InputError(
            f"Stanza cannot load {processors} for the language {language} ({reason})", file=folder, remedy=advice
        ) from None
    logging.info("stanza: %s for the language %s from %s", processors, language, folder)
    return with_models
