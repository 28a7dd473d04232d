"""Sentences of manuals as the help models of the repository read them: a line of JSON with subword ids for each.

python -m benchmarks.decoding.manual_sentences 64
"""

import json

from discourse_nmt import ROOT
from discourse_nmt.base.progress import quiet
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.translation.model_folder import open_folder
from discourse_nmt.translation.preparation import TextStage, sentences_table
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("count", type=int, help="number of sentences")
    options = parser.parse_args()
    folder = open_folder(ROOT / "resources" / "help_models" / "en-de" / "seed1")
    files = sorted((ROOT / "resources" / "help_trees" / "conllu").glob("*.conllu"))
    trees = [tree for path in files for tree in read_conllu(path.read_bytes(), path.name, heads=False)]
    sentences = [
        "".join(word.form + ("" if word.misc == "SpaceAfter=No" else " ") for word in tree.words).strip()
        for tree in trees[: options.count]
    ]
    stage = TextStage(folder.path, folder.text, folder.vocabularies)
    with quiet():
        subwords = stage.tables(sentences_table([sentences]))["subwords"]
    for ids in subwords.loc[subwords["side"] == "source", "ids"]:
        print(json.dumps(ids))


if __name__ == "__main__":
    run(main)
