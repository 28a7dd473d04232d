"""Chinese Treebank tags and Stanford relations under the names of Universal Dependencies.

The parses of GCDT are CoreNLP's: tags of the Chinese Treebank, relations of the first Stanford scheme for Chinese
(Chang et al., 2009). Names are replaced, attachments stay, so that the result is close to Universal Dependencies, but
not equal. XPOS keeps the original tag.
"""

from dataclasses import replace

from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence

UPOS = {
    "AD": "ADV", "AS": "AUX", "BA": "ADP", "CC": "CCONJ", "CD": "NUM", "CS": "SCONJ", "DEC": "PART", "DEG": "PART",
    "DER": "PART", "DEV": "PART", "DT": "DET", "ETC": "PART", "FW": "X", "IJ": "INTJ", "JJ": "ADJ", "LB": "ADP",
    "LC": "ADP", "M": "NOUN", "MSP": "PART", "NN": "NOUN", "NR": "PROPN", "NT": "NOUN", "OD": "NUM", "ON": "X",
    "P": "ADP", "PN": "PRON", "PU": "PUNCT", "SB": "ADP", "SP": "PART", "URL": "X", "VA": "ADJ", "VC": "AUX",
    "VE": "VERB", "VV": "VERB", "X": "X",
}  # fmt: skip
RELATIONS = {
    "acl": "acl", "advcl:loc": "advcl", "advmod:dvp": "advmod", "advmod:loc": "advmod:loc",
    "advmod:rcomp": "compound:rcomp", "amod:ordmod": "nummod", "aux:asp": "aux", "aux:ba": "case",
    "aux:modal": "aux", "aux:prtmod": "mark", "auxpass": "aux:pass", "compound:nn": "compound",
    "compound:vc": "compound", "dobj": "obj", "etc": "dep", "mark:clf": "clf", "name": "flat:name", "neg": "advmod",
    "nmod:assmod": "nmod", "nmod:topic": "dislocated", "nsubjpass": "nsubj:pass", "parataxis:prnmod": "parataxis",
}  # fmt: skip
OBLIQUE = {"nmod:prep": "obl", "nmod:range": "obl", "nmod:tmod": "obl:tmod"}
PREDICATES = {"VERB", "ADJ", "AUX", "ADV"}


def universal(sentence: Sentence) -> Sentence:
    """The sentence with UPOS from the XPOS column and renamed relations; unknown labels stay.

    A prepositional or temporal modifier is ``obl`` under a predicate and ``nmod`` under a noun.
    """
    upos = {word.id: UPOS.get(word.xpos, word.upos) for word in sentence.words}
    return Sentence(sentence.comments, tuple(_renamed(row, upos) for row in sentence.rows))


def _renamed(row: ConlluRow, upos: dict[str, str]) -> ConlluRow:
    tag = "AUX" if row.deprel == "aux:modal" else upos.get(row.id, row.upos)
    relation = RELATIONS.get(row.deprel, row.deprel)
    if row.deprel in OBLIQUE:
        relation = OBLIQUE[row.deprel] if upos.get(row.head) in PREDICATES else "nmod"
    return replace(row, upos=tag, deprel=relation)
