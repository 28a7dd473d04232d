"""Coreference by fastcoref (Otmazgin et al. 2022) or Maverick (Martinelli et al. 2024), for the backend ``command``.

It reads words (.conllu) in the folder INPUT and writes chains (CoNLL-2012, .conll) into the folder OUTPUT, as
docs/analysers/backends.md says. The interpreter needs the chosen package and nothing of this project. A resolver that
fails on the text of :mod:`.programs.canary` gets no document.
"""

import argparse
import sys
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discourse_nmt.discourse.backends.programs.canary import REMEDY, chains_fault
else:  # beside this file, wherever the interpreter is
    from canary import REMEDY, chains_fault

Sentences = list[list[str]]
Chains = list[list[tuple[int, int]]]
"""Words [first, last] of each mention, counted over the document."""


def words_of(path: Path) -> Sentences:
    """The words of each sentence of a CoNLL-U file."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n") if line and line[0] != "#"] for block in blocks]
    return [[row[1] for row in block] for block in rows if block]


def by_fastcoref(name: str, model: str | None, device: str) -> Callable[[Sentences], Chains]:
    """The resolver of fastcoref: fcoref, or the larger lingmess."""
    from fastcoref import FCoref, LingMessCoref

    chosen = {"fcoref": FCoref, "lingmess": LingMessCoref}[name]
    named = {} if model is None else {"model_name_or_path": model}
    resolver = chosen(device=device, nlp=None, enable_progress_bar=False, **named)

    def resolve(sentences: Sentences) -> Chains:
        words = [word for sentence in sentences for word in sentence]
        [found] = resolver.predict(texts=[words], is_split_into_words=True)
        clusters = found.get_clusters(as_strings=False)
        # With words as input, its offsets are those of words, and ends are exclusive.
        return [[(span[0], span[1] - 1) for span in cluster if span is not None] for cluster in clusters]

    return resolve


def by_maverick(name: str, model: str | None, device: str) -> Callable[[Sentences], Chains]:
    """The resolver of Maverick, whose ends are inclusive."""
    from maverick import Maverick

    named = {} if model is None else {"hf_name_or_path": model}
    resolver = Maverick(device=device, **named)

    def resolve(sentences: Sentences) -> Chains:
        clusters = resolver.predict(sentences)["clusters_token_offsets"]
        return [[(first, last) for first, last in cluster] for cluster in clusters]

    return resolve


RESOLVERS = {"fcoref": by_fastcoref, "lingmess": by_fastcoref, "maverick": by_maverick}
PACKAGES = {"fcoref": "fastcoref", "lingmess": "fastcoref", "maverick": "maverick-coref"}
BELOW = ("transformers", "torch")


def conll(name: str, sentences: Sentences, chains: Chains) -> str:
    """A document in the format of CoNLL-2012. Mentions that cross the end of a sentence are left out."""
    ends = list(accumulate(map(len, sentences)))
    sentence_of = [number for number, sentence in enumerate(sentences) for _ in sentence]
    opening: list[list[str]] = [[] for _ in sentence_of]
    closing: list[list[str]] = [[] for _ in sentence_of]
    spans = [(first, last, number) for number, chain in enumerate(chains) for first, last in set(chain)]
    for first, last, number in sorted(spans, key=lambda span: (span[0], -span[1])):
        if sentence_of[first] != sentence_of[last]:
            continue
        if first == last:
            closing[first].insert(0, f"({number})")
        else:
            opening[first].append(f"({number}")
            closing[last].insert(0, f"{number})")
    lines = [f"#begin document ({name}); part 000"]
    place = 0
    for sentence, end in zip(sentences, ends):
        for word_number, word in enumerate(sentence):
            marks = "|".join([*closing[place], *opening[place]]) or "-"
            lines.append("\t".join((name, "0", str(word_number), "".join(word.split()), marks)))
            place += 1
        lines += [""] if place == end else []
    return "\n".join([*lines, "#end document"]) + "\n"


def main() -> None:
    """Parse the arguments, load the model once, resolve each document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path, help="folder to read")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--resolver", choices=sorted(RESOLVERS), default="fcoref", help="package and model")
    parser.add_argument("--model", help="name of the model on its hub, or its folder; that of the package if not given")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda:0")
    options = parser.parse_args()
    resolve = RESOLVERS[options.resolver](options.resolver, options.model, options.device)
    if fault := chains_fault(resolve, (PACKAGES[options.resolver], *BELOW)):
        sys.exit(f"{fault}\n{REMEDY}")
    for path in sorted(options.input.glob("*.conllu")):
        sentences = words_of(path)
        chains = resolve(sentences) if sentences else []
        (options.output / f"{path.stem}.conll").write_text(conll(path.stem, sentences, chains), encoding="utf-8")
        print(f"{path.stem}: {len(chains)} chains", flush=True)


if __name__ == "__main__":
    main()
