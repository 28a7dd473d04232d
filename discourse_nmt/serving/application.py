"""The page and its requests: the page loads nothing from elsewhere, and answers on the hosts that it is told only."""

import threading
from collections.abc import Collection, Mapping

from flask import Flask, Response, jsonify, render_template_string, request
from werkzeug.exceptions import BadRequest, HTTPException

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, has_model
from discourse_nmt.discourse.plain_text import check_text
from discourse_nmt.quality.languages import other_language
from discourse_nmt.serving.assets import Assets
from discourse_nmt.serving.source_analysis import SourceAnalysis
from discourse_nmt.translation.formats.endings import ENDINGS, format_of
from discourse_nmt.translation.formatted_documents import FormattedDocument
from discourse_nmt.translation.texts import Layout, SourceDocument
from discourse_nmt.translation.translator import Translator

CHARACTERS = 20_000
"""Largest document, by default."""
NO_OBJECT = 'the request is no JSON object {"text": ...}'
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)  # drawings have styles of their own
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def application(models: Mapping[str, Translator], hosts: Collection[str], characters: int = CHARACTERS) -> Flask:
    """The application that translates with ``models``, by the names that the page shows.

    ``hosts`` are the names and addresses under which it answers; a page of another site cannot reach it under a name of
    its own (DNS rebinding). A document has at most so many ``characters``. Raises :class:`InputError` where the
    models read different languages.
    """
    language = common_language(models)
    analysis = SourceAnalysis(language)
    splits = has_model(SHIPPED / language, "segmenter")
    translating = threading.Lock()  # one document at a time: each takes all threads
    app = Flask(__name__, static_folder=None)
    app.json.sort_keys = False  # type: ignore[attr-defined]  # models stand in the order of the command
    app.config["MAX_CONTENT_LENGTH"] = 12 * characters + 1000  # a character as JSON has at most 12 bytes
    app.config["TRUSTED_HOSTS"] = list(hosts)
    assets = Assets.read()

    @app.after_request
    def protect(response: Response) -> Response:
        response.headers.update(HEADERS)
        return response

    @app.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=error.description or error.name), error.code or 500

    @app.errorhandler(InputError)
    def fault(error: InputError) -> tuple[Response, int]:
        return jsonify(error=str(error)), 400

    @app.get("/")
    def page() -> str:
        described = {name: model.languages[1] for name, model in models.items()}
        return render_template_string(
            assets.template,
            models=described,
            language=language,
            characters=characters,
            splits=splits,
            endings=",".join([".txt", *ENDINGS]),
        )

    @app.get("/page.js")
    def page_script() -> Response:
        return Response(assets.script, mimetype="text/javascript")

    @app.get("/page.css")
    def page_style() -> Response:
        return Response(assets.style, mimetype="text/css")

    @app.post("/translate")
    def translate() -> dict[str, object]:
        text, name = _text_of(_content(), characters)
        with translating:
            return translated(models, analysis, text, "paragraphs" if splits else "lines", name)

    return app


def common_language(models: Mapping[str, Translator]) -> str:
    """The source language of all models; :class:`InputError` where they differ."""
    languages = {model.languages[0]: name for name, model in models.items()}
    if len(languages) > 1:
        told = ", ".join(f"{name} reads {language}" for language, name in languages.items())
        raise InputError(f"models of different source languages: {told}", remedy="serve them one by one")
    return next(iter(languages))


def translated(
    models: Mapping[str, Translator], analysis: SourceAnalysis, text: str, layout: Layout, name: str
) -> dict[str, object]:
    """What the page shows of a text: its sentences, their analysis, the translations by model, and warnings.

    The ending of its ``name`` tells the format; the texts are in it, too.
    """
    documents: dict[str, SourceDocument] = {}
    files: dict[str, FormattedDocument] = {}
    for model_name, model in models.items():
        if format_name := format_of(name):
            check_text(text, name)
            files[model_name] = model.formatted(text, name, format_name, layout)
            documents[model_name] = files[model_name].document
        else:
            (documents[model_name],) = model.documents(text, "text", layout)
    translations = {one: next(models[one].translate_documents([own])) for one, own in documents.items()}
    texts = {one: translation.text for one, translation in translations.items()}
    texts |= {one: models[one].translated_file(own, translations[one]) for one, own in files.items()}
    source = next(iter(translations.values())).source
    warnings = [] if source.sentences else ["The text is empty."]
    language = next(iter(models.values())).languages[0]
    if found := other_language(source.sentences, language):
        warnings.append(f"This looks like {found}; the models read {language}.")
    return {
        "source": list(source.sentences),
        "analysis": analysis.of(source.sentences) if source.sentences else {},
        "systems": {name: one.lines for name, one in translations.items()},
        "texts": texts,
        "warnings": warnings,
    }


def _content() -> object:
    """The JSON of the request; :class:`BadRequest` if it is none, or nested too deeply."""
    try:
        return request.get_json()
    except (BadRequest, RecursionError):
        raise BadRequest(NO_OBJECT) from None


def _text_of(content: object, characters: int) -> tuple[str, str]:
    """The text of a request, and the name of its file if it has one; :class:`BadRequest` for any other content."""
    given = (content.get("text"), content.get("name", "")) if isinstance(content, dict) else (None, None)
    text, name = given
    if not isinstance(text, str) or not isinstance(name, str):
        raise BadRequest(NO_OBJECT)
    if len(text) > characters:
        raise BadRequest(f"the text has {len(text):,} characters, at most {characters:,} are allowed")
    try:
        (text + name).encode()
    except UnicodeEncodeError:
        raise BadRequest("the text holds half of a character (a lone surrogate)") from None
    return text, name
