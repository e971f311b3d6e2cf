"""What Eclipse MAT takes from a dump, by its published sources (plugins/org.eclipse.mat.hprof:
Pass1Parser, HprofParserHandlerImpl; plugins/org.eclipse.mat.parser: GarbageCleaner, DominatorTree), with
the options that it has when nobody changes them. Nothing of it is MAT's code, or Loupe's.

 - A class refers to java.lang.Class, its superclass, its loader and what its static fields hold; not to
   its signers, protection domain and constant pool ("additional class references" are off).
 - All else refers to its class, and to what its fields or elements hold; weak referents are no exception.
 - What a root record with a thread is about (JNI local, Java frame, native stack, thread block) is
   referred to by the thread's object, and is no root; unless the thread is not known.
 - Where no class is a root of its own, the classes of the boot loader are, but not those of arrays.

What MAT makes up itself is left out: a loader of the boot classes, classes of what a dump does not
describe. It owns nothing.
"""
import typing

from hprof_reader import LETTERS, OBJECT, HeapDump

OF_THREADS = (0x02, 0x03, 0x04, 0x06)  # tags of roots
STICKY_CLASS, THREAD_OBJECT = 0x05, 0x08


class Graph(typing.NamedTuple):
    references: typing.Dict[int, typing.List[int]]
    roots: typing.List[int]


def graph_of(dump: HeapDump) -> Graph:
    thread_ids = {root.numbers[0]: root.id for root in dump.roots if root.tag == THREAD_OBJECT}
    references = _references(dump)
    roots = []
    for root in dump.roots:
        thread = thread_ids.get(root.numbers[0]) if root.tag in OF_THREADS else None
        if thread is None:
            roots.append(root.id)
        elif thread in references:
            references[thread].append(root.id)
    if all(root.tag != STICKY_CLASS for root in dump.roots):
        roots += [of.id for of in dump.classes.values() if not of.loader and "[" not in of.name]
    known = {holder: [to for to in held if to in references] for holder, held in references.items()}
    return Graph(known, [root for root in roots if root in known])


def _references(dump: HeapDump) -> typing.Dict[int, typing.List[int]]:
    found: typing.Dict[int, typing.List[int]] = {}
    of_classes = dump.class_ids.get("java.lang.Class", 0)
    for of in dump.classes.values():
        found[of.id] = [of_classes, of.superclass, of.loader,
                        *(static.value for static in of.statics if static.kind == OBJECT)]
    for address, instance in dump.instances.items():
        held = [value for _, field, value in dump.values(address) if field.kind == OBJECT]
        found.setdefault(address, []).extend([instance.class_id, *held])
    for address, array in dump.object_arrays.items():
        found[address] = [array.class_id, *array.elements]
    for address, primitives in dump.primitive_arrays.items():
        found[address] = [dump.class_ids.get(LETTERS[primitives.kind] + "[]", 0)]
    return found


def _order(graph: Graph) -> typing.List[int]:
    """What roots lead to, each before all that it is left for: reverse postorder."""
    seen, order = set(), []
    stack: typing.List[typing.Tuple[int, typing.Iterator[int]]] = [(0, iter(graph.roots))]
    while stack:
        node, rest = stack[-1]
        for to in rest:
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(graph.references[to])))
                break
        else:
            stack.pop()
            order.append(node)
    return order[::-1]


def retained(graph: Graph, sizes: typing.Mapping[int, int]) -> typing.Dict[int, int]:
    """The bytes that each object keeps alive, by Cooper, Harvey and Kennedy's dominators; only of what
    is alive."""
    order = _order(graph)
    rank = {node: number for number, node in enumerate(order)}
    holders: typing.Dict[int, typing.List[int]] = {node: [] for node in order}
    for root in graph.roots:
        holders[root].append(0)
    for holder in order[1:]:
        for held in graph.references[holder]:
            holders[held].append(holder)
    owner = {0: 0}
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            best = _common([holder for holder in holders[node] if holder in owner], owner, rank)
            if owner.get(node) != best:
                owner[node], changed = best, True
    total = {node: sizes[node] for node in order[1:]}
    for node in order[:0:-1]:
        if owner[node]:
            total[owner[node]] += total[node]
    return total


def _common(nodes: typing.List[int], owner: typing.Dict[int, int],
            rank: typing.Dict[int, int]) -> int:
    first = nodes[0]
    for other in nodes[1:]:
        while first != other:
            if rank[first] > rank[other]:
                first = owner[first]
            else:
                other = owner[other]
    return first
