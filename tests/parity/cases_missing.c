/* What none of the detectors has a test for. */
#include "parity.h"

enum { RETAIN = 0x301, COPY = 0x303, KEY = 0x7000 };

static loupe_addr padded_structs_three_deep(void) {
    loupe_addr owner = holder(".s.s _st {A=\"c\"c\"in\"{B=\"o\"@\"d\"c\"in\"{C=\"o\"@}}}");
    drawn_set_word(&w, owner, "_st", 3, owner);
    return owner;
}

static loupe_addr array_ivar(void) {
    loupe_addr owner = holder("strong _list [3@]");
    drawn_set_word(&w, owner, "_list", 2, owner);
    return owner;
}

static loupe_addr union_ivar(void) {
    w.manual = true;
    loupe_addr owner = holder("none _u (U=\"o\"@\"n\"q)");
    link_to(owner, "_u", owner);
    return owner;
}

/* struct { char c; id o; } packed: ops 10 30. */
static loupe_addr packed_capture(void) {
    loupe_addr owner = node(), block = drawn_block_of(&w, "dd", (loupe_addr)0, (loupe_addr)0);
    loupe_addr descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor + 8, 41);
    drawn_put_word(&heap, descriptor + 40, drawn_string(&heap, "\x10\x30"));
    drawn_put_word(&heap, block + 33, owner);
    link_to(owner, "_a", block);
    return owner;
}

static loupe_addr struct_block_variable(void) {
    loupe_addr owner = node(), byref = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, byref + 8, byref);
    drawn_put_u32(&heap, byref + 16, 0x13000002);
    drawn_put_u32(&heap, byref + 20, 64);
    drawn_put_word(&heap, byref + 40, 0x200);
    drawn_put_word(&heap, byref + 56, owner);
    link_to(owner, "_a", drawn_block_of(&w, "r", byref));
    return owner;
}

static loupe_addr forwarded_block_variable(void) {
    loupe_addr owner = node(), moved = drawn_byref_of(&w, 3, owner), old = drawn_byref_of(&w, 3, 0);
    drawn_put_word(&heap, old + 8, moved);
    link_to(owner, "_a", drawn_block_of(&w, "r", old));
    return owner;
}

/* No extended layout and no signature; the helper's name tells. */
static loupe_addr plain_c_block(void) {
    loupe_addr owner = node(), block = drawn_block_flagged(&w, 0x43000002, "s", owner), descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor + 40, 0);
    drawn_symbol_add(&heap, "__copy_helper_block_8_32b", 0x500);
    link_to(owner, "_a", block);
    return owner;
}

static loupe_addr noescape_block(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_flagged(&w, 0xd0800000, "s", owner));
    return owner;
}

/* No helpers of its own; the descriptor says that the layout rules. */
static loupe_addr generic_helper_block(void) {
    loupe_addr owner = node(), block = drawn_block_flagged(&w, 0xc1000002, "s", owner), descriptor;
    drawn_get(&heap, block + 24, &descriptor, 8);
    drawn_put_word(&heap, descriptor, 0xc0004000);
    link_to(owner, "_a", block);
    return owner;
}

static loupe_addr block_without_signature(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_flagged(&w, 0x83000002, "s", owner));
    return owner;
}

static loupe_addr copied_association(void) {
    loupe_addr host = node();
    drawn_associate(&w, host, KEY, COPY, drawn_block_of(&w, "s", host));
    return host;
}

static loupe_addr block_timer(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_timer(&w, drawn_block_of(&w, "s", owner)));
    return owner;
}

static loupe_addr cf_collection(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_cf_array(&w, true, 1, 1, owner));
    return owner;
}

static loupe_addr observed_capture(void) {
    drawn_class(&w, "NSKVONotifying_Node", "Node", "");
    loupe_addr observed = drawn_object(&w, "NSKVONotifying_Node");
    link_to(observed, "_a", drawn_block_of(&w, "s", observed));
    return observed;
}

static loupe_addr ring_of_11(void) {
    return ring(11);
}

static loupe_addr ring_of_25(void) {
    return ring(25);
}

static loupe_addr distant_ring(void) {
    loupe_addr seed = node(), last = seed;
    for (unsigned i = 0; i < 30; i++) {
        loupe_addr next = node();
        link_to(last, "_a", next);
        last = next;
    }
    link_to(last, "_a", ring(2));
    return seed;
}

static loupe_addr parallel_ivars(void) {
    loupe_addr owner = node(), other = node();
    link_to(owner, "_a", other);
    link_to(owner, "_b", other);
    link_to(other, "_a", owner);
    return owner;
}

/* In the program's life before anybody looked: there is no hook that could have missed it. */
static loupe_addr association_from_before(void) {
    loupe_addr left = node(), right = node();
    drawn_associate(&w, left, KEY, RETAIN, right);
    link_to(right, "_a", left);
    return left;
}

static loupe_addr unretained_ivar(void) {
    loupe_addr owner = holder("none _owner @");
    drawn_set(&w, owner, "_owner", owner);
    return owner;
}

static loupe_addr unretained_capture(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "u", owner));
    return owner;
}

/* Nine steps lead to a pair by one ivar, one step by the other. */
static loupe_addr pair_behind_two_ways(const char *longer, const char *shorter) {
    loupe_addr seed = node(), last = seed, pair = ring(2);
    for (unsigned i = 0; i < 8; i++) {
        loupe_addr next = node();
        link_to(last, last == seed ? longer : "_a", next);
        last = next;
    }
    link_to(last, "_a", pair);
    link_to(seed, shorter, pair);
    return seed;
}

static loupe_addr longer_way_first(void) {
    return pair_behind_two_ways("_a", "_b");
}

static loupe_addr shorter_way_first(void) {
    return pair_behind_two_ways("_b", "_a");
}

/* Eight arrays that all hold each other: 16064 rings. */
static loupe_addr clique_of_eight(void) {
    enum { SIZE = 8 };
    loupe_addr arrays[SIZE], zero = 0;
    for (unsigned i = 0; i < SIZE; i++)
        arrays[i] = drawn_array(&w, SIZE - 1, zero, zero, zero, zero, zero, zero, zero);
    for (unsigned i = 0; i < SIZE; i++) {
        for (unsigned j = 0; j < SIZE - 1; j++)
            drawn_put_word(&heap, arrays[i] + 16 + 8 * j, arrays[j < i ? j : j + 1]);
    }
    return arrays[0];
}

static loupe_addr pair_held_from_outside(void) {
    loupe_addr first = ring(2);
    drawn_set_count(&w, first, 3, 0);
    return first;
}

#define ROW(name, function, fixture, why, ours)                                                    \
    { name, PARITY_DRAWN(function), fixture, why, PARITY_RINGS, PARITY_NO_CASE, ours }
static const struct parity_case cases[] = {
    ROW("structs with padding, three deep", padded_structs_three_deep, NULL,
        "they compute another offset", 1),
    ROW("C array of objects", array_ivar, NULL, "they drop such ivars", 1),
    ROW("union, manual retain/release", union_ivar, "union_ivar", "they drop such ivars", 1),
    ROW("packed struct captured", packed_capture, "captured_struct_packed",
        "they read the wrong word", 1),
    ROW("__block struct", struct_block_variable, "byref_struct", "one of them decodes it", 1),
    ROW("__block variable that moved to the heap", forwarded_block_variable, "byref_moved",
        "they do not follow the forwarding", 1),
    ROW("block of plain C", plain_c_block, "c_block", "it has no layout, only helpers", 1),
    ROW("noescape block", noescape_block, "noescape_block", "it owns nothing", 0),
    ROW("block with generic helpers", generic_helper_block, "generic_helper_block",
        "it has no helpers of its own", 1),
    ROW("block without a signature", block_without_signature, "unsigned_block",
        "they look for the layout in another place", 1),
    ROW("association that copies", copied_association, "assoc_copy", "they follow retain only", 1),
    ROW("association made before Loupe came", association_from_before, "assoc_pair",
        "they see those that were set through their hook", 1),
    ROW("timer with a block", block_timer, "timer_block",
        "they take its block for target and user info", 1),
    ROW("bridged collection in a ring", cf_collection, NULL, "they never look into those", 1),
    ROW("block that captures an observed object", observed_capture, "dynamic_subclass",
        "they drop objects of dynamic classes", 1),
    ROW("__unsafe_unretained ivar", unretained_ivar, NULL, "their test uses a weak property", 0),
    ROW("__unsafe_unretained capture", unretained_capture, "unretained_capture", NULL, 0),
    ROW("ring of 11", ring_of_11, NULL, "their limit is 10", 1),
    ROW("ring of 25", ring_of_25, "ring_of_25", "their limit is 10", 1),
    ROW("ring 30 steps away", distant_ring, NULL, "their limit counts from the seed", 1),
    ROW("ring at the limit by the first ivar, near by the second", longer_way_first, "distant_ring",
        "they find nothing", 1),
    ROW("the same with the ivars exchanged", shorter_way_first, NULL, "they find it", 1),
    ROW("two ivars to one object", parallel_ivars, "parallel_ivars",
        "one ring; the second ivar is named as parallel", 1),
    {"16064 rings among eight objects", PARITY_DRAWN(clique_of_eight), NULL,
     "one knot, one row; rings as many as asked for", PARITY_KNOTS, PARITY_NO_CASE, 1},
    {"ring that is held from outside", PARITY_DRAWN(pair_held_from_outside), "held_ring",
     "found, and not called leaked", PARITY_LEAKED, PARITY_NO_CASE, 0},
};
const struct parity_suite parity_missing = PARITY_SUITE("Missing from all of them", cases);
