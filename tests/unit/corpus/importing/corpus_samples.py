"""The same small corpus written in every format that the import reads, for the tests of the import."""

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import polib

Pairs = list[tuple[str, str]]
Corpus = dict[str, Pairs]
Writer = Callable[[Path, Corpus], dict[str, Any]]
WRITERS: dict[str, Writer] = {}
SIDES = ("source", "target")

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}


def writer(function: Writer) -> Writer:
    WRITERS[function.__name__] = function
    return function


def settings(format: str, split: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Settings of an English-German corpus whose only split is train."""
    return {"source_language": "en", "target_language": "de", "format": format, "splits": {"train": split}} | more


def put(path: Path, text: str) -> str:
    data = text.encode()
    compress = COMPRESSORS.get(path.suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(compress(data) if compress else data)
    return str(path)


def pair_of_files(folder: Path, source: str, target: str, suffix: str = ".txt") -> dict[str, list[str]]:
    return {
        "source": [put(folder / f"corpus.en{suffix}", source)],
        "target": [put(folder / f"corpus.de{suffix}", target)],
    }


def sides(corpus: Corpus, opening: str = "", closing: str = "") -> tuple[str, str]:
    texts = []
    for side in (0, 1):
        documents = (opening + "".join(f"{pair[side]}\n" for pair in pairs) for pairs in corpus.values())
        texts.append(closing.join(documents))
    return texts[0], texts[1]


@writer
def marked(folder: Path, corpus: Corpus) -> dict[str, Any]:
    return settings("marked", pair_of_files(folder, *sides(corpus, "<d>\n"), ".xz"))


@writer
def turns(folder: Path, corpus: Corpus) -> dict[str, Any]:
    source, target = sides(corpus, "<chp>\n<sp>\n")
    lines = [line if line.startswith("<") else f"<2en> {line}" for line in source.split("\n")[:-1]]
    options = {"document_marks": ["<chp>"], "skip_marks": ["<sp>"], "line_prefixes": ["<en>", "<2en>"]}
    return settings("marked", pair_of_files(folder, "\r\n".join(lines) + "\r\n", target), options=options)


@writer
def blank_lines(folder: Path, corpus: Corpus) -> dict[str, Any]:
    return settings("blank_lines", pair_of_files(folder, *sides(corpus, "", "\n"), ".bz2"))


@writer
def document_ids(folder: Path, corpus: Corpus) -> dict[str, Any]:
    split = pair_of_files(folder, *sides(corpus), ".gz")
    ids = "".join(f"{doc_id}\n" * len(pairs) for doc_id, pairs in corpus.items())
    return settings("document_ids", split | {"documents": [put(folder / "corpus.ids", ids)]})


@writer
def folder_of_pairs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    for doc_id, pairs in corpus.items():
        put(folder / "en" / f"{doc_id}.txt", "".join(f"{source}\n" for source, _ in pairs))
        put(folder / "de" / f"{doc_id}.txt", "".join(f"{target}\n" for _, target in pairs))
    return settings("file_pairs", {"source": [f"{folder}/en/*.txt"], "target": [f"{folder}/de/*.txt"]})


def members_of(corpus: Corpus) -> list[tuple[str, bytes]]:
    return [
        (f"talks/{doc_id}.{language}", "".join(f"{pair[side]}\n" for pair in pairs).encode())
        for doc_id, pairs in corpus.items()
        for side, language in enumerate(("en", "de"))
    ]


def tar(path: Path, members: list[tuple[str, bytes]], mode: str) -> None:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


def archive_settings(path: Path) -> dict[str, Any]:
    return settings("file_pairs", {"source": [f"{path}::talks/*.en"], "target": [f"{path}::talks/*.de"]})


@writer
def tar_of_pairs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    tar(folder / "corpus.tar", members_of(corpus), "w")
    return archive_settings(folder / "corpus.tar")


@writer
def tar_gz_of_pairs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    tar(folder / "corpus.tar.gz", members_of(corpus), "w:gz")
    return archive_settings(folder / "corpus.tar.gz")


@writer
def tar_xz_of_pairs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    tar(folder / "corpus.tar.xz", members_of(corpus), "w:xz")
    return archive_settings(folder / "corpus.tar.xz")


@writer
def zip_of_pairs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    with zipfile.ZipFile(folder / "corpus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members_of(corpus):
            archive.writestr(name, data)
    return archive_settings(folder / "corpus.zip")


@writer
def tsv(folder: Path, corpus: Corpus) -> dict[str, Any]:
    rows = [f"{doc_id}\t{a}\t{b}\n" for doc_id, pairs in corpus.items() for a, b in pairs]
    return settings("table", {"files": [put(folder / "corpus.tsv", "doc_id\tsource\ttarget\n" + "".join(rows))]})


@writer
def tsv_of_runs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    rows = [f"{doc_id}\tsection\t{a}\t{b}\n" for doc_id, pairs in corpus.items() for a, b in pairs]
    options = {"header": False, "document": 1, "source": 3, "target": 4, "documents": "runs"}
    return settings("table", {"files": [put(folder / "corpus.tsv", "".join(rows))]}, options=options)


@writer
def tsv_of_blank_lines(folder: Path, corpus: Corpus) -> dict[str, Any]:
    text = "\n".join("".join(f"{a}\t{b}\n" for a, b in pairs) for pairs in corpus.values())
    options = {"header": False, "source": 1, "target": 2, "documents": "blank_lines"}
    return settings("table", {"files": [put(folder / "corpus.tsv", text)]}, options=options)


@writer
def two_tables(folder: Path, corpus: Corpus) -> dict[str, Any]:
    files = []
    for side, name in enumerate(("en", "de")):
        rows = [f"{doc}\t{i}\t{pair[side]}\n" for doc, pairs in corpus.items() for i, pair in enumerate(pairs)]
        files.append(put(folder / f"{name}.tsv", "doc_id\tverse\ttext\n" + "".join(rows)))
    options = {"source": "text", "target": "text", "key": "verse"}
    return settings("table", {"source": [files[0]], "target": [files[1]]}, options=options)


@writer
def quoted_csv(folder: Path, corpus: Corpus) -> dict[str, Any]:
    text = io.StringIO()
    table = csv.writer(text, quoting=csv.QUOTE_ALL)
    table.writerow(["from", "source", "reference", "doc_id"])
    for doc_id, pairs in corpus.items():
        for number, (a, b) in enumerate(pairs):
            table.writerow(["de", b, a, doc_id] if number % 2 else ["en", a, b, doc_id])
    options = {"layout": "csv", "target": "reference", "direction": "from"}
    return settings("table", {"files": [put(folder / "corpus.csv", text.getvalue())]}, options=options)


@writer
def jsonl(folder: Path, corpus: Corpus) -> dict[str, Any]:
    rows = [
        json.dumps({"doc_id": doc_id, "source": a, "target": b}, ensure_ascii=False) + "\n"
        for doc_id, pairs in corpus.items()
        for a, b in pairs
    ]
    split = {"files": [put(folder / "corpus.jsonl", "".join(rows))]}
    return settings("table", split, options={"layout": "jsonl"})


@writer
def dialogues(folder: Path, corpus: Corpus) -> dict[str, Any]:
    turns = {
        doc_id: [
            {"speaker": "customer", "source": b, "target": a}
            if number % 2
            else {"speaker": "agent", "source": a, "target": b}
            for number, (a, b) in enumerate(pairs)
        ]
        for doc_id, pairs in corpus.items()
    }
    text = json.dumps(turns, ensure_ascii=False, indent=1)
    return settings("dialogues", {"files": [put(folder / "corpus.json", text)]})


@writer
def iwslt_train(folder: Path, corpus: Corpus) -> dict[str, Any]:
    texts = []
    for side in (0, 1):
        talks = [
            f'<doc docid="{doc_id}" genre="lectures">\n<url>http://talks/{doc_id}</url>\n<talkid>{doc_id}</talkid>\n'
            f"<title>A: talk</title>\n{''.join(pair[side] + chr(10) for pair in pairs)}"
            + ("<translator href='x'>T. R.</translator>\n" if side else "")
            + "</doc>\n"
            for doc_id, pairs in corpus.items()
        ]
        texts.append("".join(talks))
    return settings("iwslt", pair_of_files(folder, *texts))


def segments(pairs: Pairs, side: int) -> str:
    return "".join(f'<seg id="{i}"> {escape(pair[side], False)} </seg>\n' for i, pair in enumerate(pairs, 1))


@writer
def iwslt_xml(folder: Path, corpus: Corpus) -> dict[str, Any]:
    texts = []
    for side, kind in enumerate(("srcset", "refset")):
        talks = [
            f'<doc docid="{doc_id}">\n<url>u</url><talkid>{doc_id}</talkid>\n{segments(pairs, side)}</doc>\n'
            for doc_id, pairs in corpus.items()
        ]
        texts.append(f'<?xml version="1.0"?>\n<mteval>\n<{kind} setid="s">\n{"".join(talks)}</{kind}>\n</mteval>\n')
    return settings("iwslt", pair_of_files(folder, texts[0], texts[1], ".xml"))


@writer
def wmt_sgm(folder: Path, corpus: Corpus) -> dict[str, Any]:
    def documents(side: int, system: str) -> str:
        return "".join(
            f'<DOC sysid="{system}" docid="{doc_id}"><p>\n{segments(pairs, side)}</p></DOC>\n'
            for doc_id, pairs in corpus.items()
        )

    source = f'<srcset setid="s" srclang="any">\n{documents(0, "ref")}</srcset>\n'
    other = documents(1, "B").replace(" </seg>", " other</seg>")
    target = f'<refset setid="s">\n{other}{documents(1, "A")}</refset>\n'
    return settings("wmt_sgm", pair_of_files(folder, source, target, ".sgm"), options={"reference": "A"})


@writer
def wmt_xml(folder: Path, corpus: Corpus) -> dict[str, Any]:
    documents = "".join(
        f'<doc id="{doc_id}" origlang="en">\n<src lang="en"><p>\n{segments(pairs, 0)}</p></src>\n'
        f'<ref lang="de" translator="A"><p>\n{segments(pairs, 1)}</p></ref>\n'
        f'<hyp system="x" lang="de"><p>\n{segments(pairs, 0)}</p></hyp>\n</doc>\n'
        for doc_id, pairs in corpus.items()
    )
    text = f"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"s\">\n{documents}</dataset>\n"
    return settings("wmt_xml", {"files": [put(folder / "corpus.xml", text)]})


@writer
def gettext(folder: Path, corpus: Corpus) -> dict[str, Any]:
    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    entries = [
        f'#. (itstool) path: page/p\n#: C/{doc_id}.page:{line}\nmsgid ""\n{quoted(a)}\nmsgstr {quoted(b)}\n'
        for doc_id, pairs in corpus.items()
        for line, (a, b) in reversed(list(enumerate(pairs, 10)))
    ]
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    return settings("gettext", {"files": [put(folder / "corpus.po", header + "\n".join(entries))]})


@writer
def wesnoth(folder: Path, corpus: Corpus) -> dict[str, Any]:
    catalogue = polib.POFile()
    for doc_id, pairs in corpus.items():
        lines = ["#textdomain tale\n"]
        for number, (source, target) in enumerate(pairs):
            message = f"{doc_id}.{number}^{escape(source, False)}"
            catalogue.append(polib.POEntry(msgid=message, msgstr=escape(target, False)))
            quoted = message.replace('"', '""')
            lines.append(f'[message]\n    speaker=unit\n    message= _ "{quoted}"\n[/message]\n')
        put(folder / "scenarios" / f"{doc_id}.cfg", "".join(lines))
    (folder / "tale.mo").write_bytes(catalogue.to_binary())
    return settings(
        "wesnoth",
        {"source": [f"{folder}/scenarios/*.cfg"], "target": [f"{folder}/*.mo"]},
        options={"split_sentences": False},
    )


@writer
def freedroidrpg(folder: Path, corpus: Corpus) -> dict[str, Any]:
    catalogue = polib.POFile()
    for doc_id, pairs in corpus.items():
        lines = ["local Npc = FDrpg.get_npc()\n"]
        for source, target in pairs:
            catalogue.append(polib.POEntry(msgid=source, msgstr=target))
            quoted = source.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'{{ id = "node", code = function()\n    Npc:says(_"{quoted}")\nend }},\n')
        put(folder / "dialogs" / f"{doc_id}.lua", "".join(lines))
    (folder / "dialogs.mo").write_bytes(catalogue.to_binary())
    return settings(
        "freedroidrpg",
        {"source": [f"{folder}/dialogs/*.lua"], "target": [f"{folder}/*.mo"]},
        options={"split_sentences": False},
    )


@writer
def html_pages(folder: Path, corpus: Corpus) -> dict[str, Any]:
    for doc_id, pairs in corpus.items():
        for side, name in enumerate(("en", "de")):
            blocks = "".join(f'<p id="par_{number}">{escape(pair[side])}</p>\n' for number, pair in enumerate(pairs))
            page = f'<!DOCTYPE html>\n<html><body><div id="text">\n{blocks}</div></body></html>\n'
            put(folder / name / f"{doc_id}.html", page)
    return settings("html_pages", {side: [f"{folder}/{name}/*.html"] for side, name in zip(SIDES, ("en", "de"))})


@writer
def wmt_jsonl(folder: Path, corpus: Corpus) -> dict[str, Any]:
    languages = {"src_lang": "en", "tgt_lang": "de_DE"}
    objects = [
        {"doc_id": doc_id, **languages, "src_text": source, "refs": {"refA": {"ref": target}}}
        for doc_id, pairs in corpus.items()
        for source, target in [("\n".join(side) for side in zip(*pairs))]
    ]
    text = "".join(json.dumps(one) + "\n" for one in objects)
    return settings("wmt_jsonl", {"files": [put(folder / "test.jsonl", text)]}, options={"split_sentences": False})


@writer
def wmt_jsonl_of_paragraphs(folder: Path, corpus: Corpus) -> dict[str, Any]:
    objects = [
        {"lp": "en-de_DE", "document_id": doc_id, "is_bad_source": False, "source": source, "target": target}
        for doc_id, pairs in corpus.items()
        for source, target in pairs
    ]
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    return settings("wmt_jsonl", {"files": [put(folder / "test.jsonl.gz", text)]}, options={"split_sentences": False})


@writer
def tmx(folder: Path, corpus: Corpus) -> dict[str, Any]:
    units = [
        f'<tu><prop type="x-document">{escape(doc_id)}</prop><tuv xml:lang="en-GB"><seg>{escape(source)}</seg></tuv>\n'
        f'<tuv xml:lang="de"><seg><ph>%1</ph>{escape(target)}</seg></tuv></tu>\n'
        for doc_id, pairs in corpus.items()
        for source, target in pairs
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><body>\n'
    return settings("tmx", {"files": [put(folder / "memory.tmx", f"{head}{''.join(units)}</body></tmx>\n")]})
