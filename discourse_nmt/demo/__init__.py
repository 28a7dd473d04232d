"""The demo corpus: generated English-German documents whose translation needs the document.

``lexicon``, ``entities``, ``german``, ``templates`` say how one sentence is worded in both languages; ``blocks`` and
``documents`` how sentences make a text; ``discourse`` the structure that comes with it; ``generation`` makes splits and
tables; ``oracles`` measures what different kinds of knowledge are worth. Words and sentences are in ``resources/demo``.
"""
