"""Sentences of manuals as the help models of the repository read them: a line of JSON with subword ids for each.

python -m benchmarks.decoding.manual_sentences 64
"""

import json
import re

from discourse_nmt import ROOT
from discourse_nmt.base.progress import quiet
from discourse_nmt.translation.model_folder import open_folder
from discourse_nmt.translation.preparation import TextStage, sentences_table
from discourse_nmt.workflow_scripts.command import arguments, run

WORD = re.compile(r"^\d+\t(\S+).*?(SpaceAfter=No)?$", re.MULTILINE)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("count", type=int, help="number of sentences")
    options = parser.parse_args()
    folder = open_folder(ROOT / "resources" / "help_models" / "en-de" / "seed1")
    files = sorted((ROOT / "resources" / "help_trees" / "conllu").glob("*.conllu"))
    trees = [tree for path in files for tree in path.read_text(encoding="utf-8").strip().split("\n\n")]
    words = [WORD.findall(tree) for tree in trees[: options.count]]
    sentences = ["".join(word + ("" if joined else " ") for word, joined in line).strip() for line in words]
    stage = TextStage(folder.path, folder.text, folder.vocabularies)
    with quiet():
        subwords = stage.tables(sentences_table([sentences]))["subwords"]
    for ids in subwords.loc[subwords["side"] == "source", "ids"]:
        print(json.dumps(ids))


if __name__ == "__main__":
    run(main)
