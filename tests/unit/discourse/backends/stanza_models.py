"""Micro models that Stanza's own training commands learn from a treebank generated here: German with multiword tokens.

Their accuracy is of no interest: they make the real path of the Stanza backend run without a download.
"""

import json
import random
import shutil
from pathlib import Path

from stanza.models import lemmatizer, mwt_expander, parser, tagger, tokenizer
from stanza.utils.datasets import contract_mwt, prepare_tokenizer_data

from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, write_conllu

CONTRACTIONS = {"zum": ("zu", "dem"), "im": ("in", "dem"), "vom": ("von", "dem")}
NOUNS = {"Hund": "Hund", "Garten": "Garten", "Bäcker": "Bäcker", "Vogel": "Vogel", "Baum": "Baum"}
VERBS = {"geht": "gehen", "läuft": "laufen", "kommt": "kommen", "fliegt": "fliegen"}
PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse")
ADJECTIVES = ("kleine", "große", "alte")


def treebank(size: int, seed: int) -> tuple[str, list[Sentence]]:
    """Raw text, an empty line after each third sentence, and its CoNLL-U sentences."""
    source = random.Random(seed)
    sentences, text = [], ""
    for number in range(size):
        rows, raw = _sentence(source)
        sentences.append(Sentence((f"# sent_id = {number + 1}", f"# text = {raw}"), tuple(rows)))
        text += raw + ("\n\n" if number % 3 == 2 else " ")
    return text.rstrip() + "\n", sentences


def _sentence(source: random.Random) -> tuple[list[ConlluRow], str]:
    noun, place = source.sample(sorted(NOUNS), 2)
    verb, adjective = source.choice(sorted(VERBS)), source.choice(ADJECTIVES)
    contraction = source.choice(sorted(CONTRACTIONS))
    words = [("Der", "der", "DET", "ART", "det")]
    words += [(adjective, adjective[:-1], "ADJ", "ADJA", "amod")] if source.random() < 0.5 else []
    words += [(noun, NOUNS[noun], "NOUN", "NN", "nsubj"), (verb, VERBS[verb], "VERB", "VVFIN", "root")]
    contracted = source.random() < 0.6
    preposition, article = CONTRACTIONS[contraction]
    words += [(preposition, preposition, "ADP", "APPR", "case"), (article, "der", "DET", "ART", "det")]
    words += [(place, NOUNS[place], "NOUN", "NN", "obl"), (".", ".", "PUNCT", "$.", "punct")]
    subject = next(number for number, word in enumerate(words, start=1) if word[4] == "nsubj")
    root, oblique = subject + 1, subject + 4
    head_of = {"nsubj": root, "root": 0, "obl": root, "punct": root, "case": oblique, "amod": subject}
    rows: list[ConlluRow] = []
    raw = ""
    for number, (form, lemma, upos, xpos, deprel) in enumerate(words, start=1):
        head = head_of.get(deprel, subject if number < subject else oblique)
        if deprel == "case" and contracted:
            rows.append(ConlluRow(f"{number}-{number + 1}", contraction))
            raw += " " + contraction
        elif deprel == "punct" or (contracted and number == oblique - 1):
            raw += "." if deprel == "punct" else ""
        else:
            raw += " " + form
        features = "Case=Nom" if upos == "NOUN" and deprel == "nsubj" else "_"
        rows.append(ConlluRow(str(number), form, lemma, upos, xpos, features, str(head), deprel))
    return rows, raw.strip()


def train_models(folder: Path) -> None:
    """Train a model for each of :data:`PROCESSORS`, ``<processor>.pt``."""
    for name, size, seed in (("train", 240, 1), ("dev", 40, 2)):
        text, sentences = treebank(size, seed)
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
        (folder / f"{name}.conllu").write_text(write_conllu(sentences), encoding="utf-8")
        contract_mwt.contract_mwt(str(folder / f"{name}.conllu"), str(folder / f"{name}.mwt.conllu"))
        outputs = ["-o", str(folder / f"{name}.labels"), "-m", str(folder / f"{name}.mwt.json")]
        prepare_tokenizer_data.main([str(folder / f"{name}.txt"), str(folder / f"{name}.conllu"), *outputs])
    common = ["--cpu", *_flags(lang="de", shorthand="de_micro", save_dir=folder)]
    files = _flags(train_file=folder / "train.conllu", eval_file=folder / "dev.conllu")
    texts = _flags(txt_file=folder / "train.txt", label_file=folder / "train.labels")
    texts += _flags(dev_txt_file=folder / "dev.txt", dev_label_file=folder / "dev.labels")
    texts += _flags(mwt_json_file=folder / "dev.mwt.json", save_name="tokenize.pt", steps=250, eval_steps=250)
    tokenizer.main([*common, *texts, *_flags(hidden_dim=32, batch_size=8, lr0=0.01, dropout=0.1, unit_dropout=0.1)])
    contracted = _flags(train_file=folder / "train.conllu", eval_file=folder / "dev.mwt.conllu")
    gold = _flags(gold_file=folder / "dev.conllu", save_name="mwt.pt", num_epoch=1)
    mwt_expander.main([*common, *contracted, *gold])
    small = ["--no_pretrain", "--no_char", *_flags(hidden_dim=32, word_emb_dim=32, transformed_dim=32, num_layers=1)]
    small += _flags(deep_biaff_hidden_dim=32, tag_emb_dim=16, word_cutoff=2, max_steps=40, eval_interval=40)
    tagger.main([*common, *files, *small, *_flags(save_name="pos.pt", batch_size=50)])
    without_language = ["--cpu", *_flags(shorthand="de_micro", save_dir=folder)]
    lemmatizer.main([*without_language, *files, *_flags(save_name="lemma.pt", num_epoch=1, hidden_dim=32)])
    parse = _flags(save_name="depparse.pt", deep_biaff_output_dim=32, batch_size=500)
    parser.main([*common, *files, *small, *parse, "--no_checkpoint"])


def install(models: Path, folder: Path, language: str) -> None:
    """Lay models out as Stanza's own download does, as the default package of a language."""
    resources: dict[str, object] = {"packages": {"default": dict.fromkeys(PROCESSORS, "micro")}, "lang_name": "Micro"}
    for processor in PROCESSORS:
        (folder / language / processor).mkdir(parents=True)
        shutil.copy(models / f"{processor}.pt", folder / language / processor / "micro.pt")
        resources[processor] = {"micro": {"md5": "unknown"}}
    (folder / "resources.json").write_text(json.dumps({language: resources}), encoding="utf-8")


def _flags(**options: object) -> list[str]:
    return [part for name, value in options.items() for part in (f"--{name}", str(value))]
