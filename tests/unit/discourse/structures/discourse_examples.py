"""Trees and files that the tests of discourse structures share."""

import json
import random
from itertools import pairwise

from discourse_nmt.discourse.formats.rsd import RsdDocument
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.trees import RstTree, assemble, join, leaf
from tests.unit.discourse.formats.writers import write_brackets, write_dis, write_rsd


def tree_a() -> RstTree:
    """Tree A of the specification, section 5.4."""
    pair = join([(leaf("e2"), "nucleus", "span"), (leaf("e3"), "satellite", "elaboration")])
    right = join([(pair, "nucleus", "joint"), (leaf("e4"), "nucleus", "joint")])
    return join([(leaf("e1"), "nucleus", "span"), (right, "satellite", "evidence")])


def tree_a2() -> RstTree:
    """Tree A2 of the specification, section 5.4: the root is the joint, e4 a satellite."""
    pair = join([(leaf("e2"), "nucleus", "span"), (leaf("e3"), "satellite", "elaboration")])
    right = join([(pair, "nucleus", "span"), (leaf("e4"), "satellite", "evidence")])
    return join([(leaf("e1"), "nucleus", "joint"), (right, "nucleus", "joint")])


def deep_tree(edus: int) -> RstTree:
    """A right-branching chain of nucleus and satellite, one level per EDU."""
    children = {f"n{i}": [f"e{i}", f"n{i + 1}"] for i in range(edus - 1)}
    roles: dict[str, tuple] = {f"e{i}": ("nucleus", "span") for i in range(edus)}
    roles |= {f"n{i}": ("satellite", "elaboration") for i in range(edus)}
    leaves = {f"e{i}": i for i in range(edus - 1)} | {f"n{edus - 1}": edus - 1}
    return assemble("n0", children, roles, leaves)


def random_tree(source: random.Random, edus: int, mixed: bool = False, level: int = 0) -> RstTree:
    """A random n-ary tree; no multinuclear relation nests in itself, so that binarisation can be undone."""
    if edus == 1:
        return leaf(f"text ({source.random():.3f})")
    count = min(edus, source.choice([2, 2, 3, 4]))
    cuts = [0, *sorted(source.sample(range(1, edus), count - 1)), edus]
    parts = [random_tree(source, end - start, mixed, level + 1) for start, end in pairwise(cuts)]
    roles = ["nucleus"] * count
    if source.random() < 0.6:
        roles = ["satellite"] * count
        for place in source.sample(range(count), source.randint(1, count - 1) if mixed else 1):
            roles[place] = "nucleus"
    one = roles.count("nucleus") == 1
    names = {"nucleus": "span" if one else f"joint-{level}"}
    relations = [names.get(role) or source.choice(["cause", "joint-1", "joint-2"]) for role in roles]
    return join(list(zip(parts, roles, relations)))  # type: ignore[arg-type]


def trees(mixed: bool = False, count: int = 60) -> list[RstTree]:
    return [random_tree(random.Random(seed), 1 + seed % 23, mixed) for seed in range(count)]


DIS = write_dis(tree_a())
BRACKETS = write_brackets(tree_a())
RSD = write_rsd(RsdDocument(li14(tree_a()), tree_a().texts))
RS4 = """<rst>
\t<header>
\t\t<relations>
\t\t\t<rel name="evidence" type="rst"/>
\t\t\t<rel name="joint" type="multinuc"/>
\t\t</relations>
\t\t<sigtypes>
\t\t\t<sig type="dm" subtypes="dm"/>
\t\t</sigtypes>
\t</header>
\t<body>
\t\t<segment id="1" parent="5" relname="span">It rained &amp; &lt;poured></segment>
\t\t<segment id="2" parent="4" relname="joint">because "A"</segment>
\t\t<segment id="3" parent="4" relname="joint">and B .</segment>
\t\t<group id="4" type="multinuc" parent="1" relname="evidence"/>
\t\t<group id="5" type="span"/>
\t\t<secedges>
\t\t\t<secedge id="3-1" source="3" target="1" relname="evidence"/>
\t\t</secedges>
\t\t<signals>
\t\t\t<signal source="4" type="dm" subtype="dm" tokens="5,6"/>
\t\t\t<signal source="3-1" type="dm" subtype="dm" tokens="" status="unsure"/>
\t\t</signals>
\t</body>
</rst>"""
CONLLU = """# newdoc id = one
# newpar
# text = du pain.
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
1\tde\tde\tADP\t_\t_\t3\tcase\t_\tBeginSeg=Yes|BeginSeg=Yes
2\tle\tle\tDET\t_\t_\t3\tdet\t_\tX=a=b|X=c
2.1\tbon\t_\t_\t_\t_\t_\t_\t_\t_
3\tpain  blanc\tpain\tNOUN\t_\t_\t0\troot\t_\tSeg=B-Seg
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\tMSeg=b-seg

"""
GUM_COREFERENCE = """# begin document GUM_x
0\tHer\t(person-1-Ada_Lovelace)(object-2
1\told\t_
2\tcar\t(object-3)object-2)
3\tis\t_
4\tits\t(object-2)
# end document

"""
CONLL_COREFERENCE = """#begin document (x); part 001
x\t1\t0\tShe\t(12)
x\t1\t1\tsaw\t-
x\t1\t2\ther\t(4|(12)
x\t1\t3\tcar\t4)

x\t1\t0\tIt\t(4)

#end document
"""
# "He took a book out that sold", with a split mention, a zero, bridging, and a mention of a mention of its own entity.
COREFUD = """# newdoc id = one
# global.Entity = eid-etype-head-other
1\tHe\the\tPRON\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\ttook\ttake\tVERB\t_\t_\t0\troot\t_\t_
3\ta\ta\tDET\t_\t_\t4\tdet\t_\tSeg=O|Entity=(e2[1/2]-object-3-(e3-object-1-)
4\tbook\tbook\tNOUN\t_\t_\t2\tobj\t_\tEntity=e2[1/2])
5\tout\tout\tADP\t_\t_\t2\tcompound\t_\t_
5.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1-person-1-)
6\tthat\tthat\tPRON\t_\t_\t7\tnsubj\t_\tBridge=e2<e1:part,e3<e1|Entity=(e2[2/2]-object-3-(e2-object-1-)
7\tsold\tsell\tVERB\t_\t_\t4\tacl\t_\tSplitAnte=e1<e2|Entity=e2[2/2])

"""
SCIDTB = '\ufeff{"root": [' + ", ".join(
    json.dumps({"id": number, "parent": parent, "text": text, "relation": relation})
    for number, (parent, text, relation) in enumerate(
        [
            (-1, "ROOT", "null"), (0, "We try ", "ROOT"),
            (1, "to win . <S>", "enablement"), (-1, "Ha <S>", "null"),
        ]
    )
) + "]}"  # fmt: skip
MERGE = "".join(
    f"{sentence}\t{word}\t{form}\tx\tNN\tdep\t0\tO\t (ROOT\t{edu}\n{gap}"
    for sentence, word, form, edu, gap in [
        (0, 1, "We", 1, ""), (0, 2, "win", 2, "\n"),
        (1, 1, "He", 3, ""), (1, 2, "does", 3, "\n"), (2, 1, ".", 4, "\n"),
    ]
)  # fmt: skip
STAGEDP = "(NS-Evidence\n  (EDU _!We_win_-LRB-_now!_)\n  (NN-Joint (EDU _!a_b!_) (EDU _!c!_)))"
EDU_LINES = "We try\nto win . <S>\nHe\n<S>\n<P>\nwins too .\n"
