"""The page and its requests: the page loads nothing from elsewhere, and answers on the hosts that it is told only."""

import threading
from collections.abc import Collection, Mapping

from flask import Flask, Response, jsonify, render_template_string, request
from werkzeug.exceptions import BadRequest, HTTPException

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, has_model
from discourse_nmt.quality.languages import other_language
from discourse_nmt.serving.assets import Assets
from discourse_nmt.serving.source_analysis import SourceAnalysis
from discourse_nmt.translation.texts import Layout
from discourse_nmt.translation.translator import Translator

CHARACTERS = 20_000
"""Largest document, by default."""
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
            assets.template, models=described, language=language, characters=characters, splits=splits
        )

    @app.get("/page.js")
    def page_script() -> Response:
        return Response(assets.script, mimetype="text/javascript")

    @app.get("/page.css")
    def page_style() -> Response:
        return Response(assets.style, mimetype="text/css")

    @app.post("/translate")
    def translate() -> dict[str, object]:
        text = _text_of(request.get_json(), characters)
        with translating:
            return translated(models, analysis, text, "paragraphs" if splits else "lines")

    return app


def common_language(models: Mapping[str, Translator]) -> str:
    """The source language of all models; :class:`InputError` where they differ."""
    languages = {model.languages[0]: name for name, model in models.items()}
    if len(languages) > 1:
        told = ", ".join(f"{name} reads {language}" for language, name in languages.items())
        raise InputError(f"models of different source languages: {told}", remedy="serve them one by one")
    return next(iter(languages))


def translated(
    models: Mapping[str, Translator], analysis: SourceAnalysis, text: str, layout: Layout
) -> dict[str, object]:
    """What the page shows of a text: its sentences, their analysis, the translations by model, and warnings."""
    documents = {name: model.documents(text, "text", layout) for name, model in models.items()}
    translations = {name: next(models[name].translate_documents(own)) for name, own in documents.items()}
    source = next(iter(translations.values())).source
    warnings = [] if source.sentences else ["The text is empty."]
    language = next(iter(models.values())).languages[0]
    if found := other_language(source.sentences, language):
        warnings.append(f"This looks like {found}; the models read {language}.")
    return {
        "source": list(source.sentences),
        "analysis": analysis.of(source.sentences) if source.sentences else {},
        "systems": {name: one.lines for name, one in translations.items()},
        "texts": {name: one.text for name, one in translations.items()},
        "warnings": warnings,
    }


def _text_of(content: object, characters: int) -> str:
    """The text of a request; :class:`BadRequest` for any other content."""
    if not isinstance(content, dict) or not isinstance(content.get("text"), str):
        raise BadRequest('the request is no JSON object {"text": ...}')
    text: str = content["text"]
    if len(text) > characters:
        raise BadRequest(f"the text has {len(text):,} characters, at most {characters:,} are allowed")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRequest("the text holds half of a character (a lone surrogate)") from None
    return text
