/* CircleTests of Circle: 13 cases. Circle frees what nothing outside holds; Loupe calls it leaked.
 */
#include "parity.h"

static loupe_addr nothing(void) {
    return 0;
}

static loupe_addr pair(void) {
    return ring(2);
}

static loupe_addr single_object(void) {
    return ring(1);
}

static loupe_addr block_that_captures(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_block_of(&w, "s", owner));
    return owner;
}

static loupe_addr clique_of_three(void) {
    loupe_addr n[3] = {node(), node(), node()};
    for (unsigned i = 0; i < 3; i++) {
        link_to(n[i], "_a", n[(i + 1) % 3]);
        link_to(n[i], "_b", n[(i + 2) % 3]);
        drawn_set_count(&w, n[i], 2, 0);
    }
    return n[0];
}

static loupe_addr pair_that_a_variable_holds(void) {
    loupe_addr first = ring(2);
    drawn_set_count(&w, first, 2, 0);
    return first;
}

static loupe_addr plain_object(void) {
    return drawn_object(&w, "NSObject");
}

/* Lengths 4, 6, 8 and so on to 42. */
static loupe_addr twenty_rings(void) {
    for (unsigned i = 1; i < 20; i++)
        also_ask(ring((i + 2) * 2));
    return ring(4);
}

static loupe_addr array_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_single_array(&w, owner));
    return owner;
}

static loupe_addr set_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_set_of(&w, 1, owner));
    return owner;
}

static loupe_addr dictionary_in_ring(void) {
    loupe_addr owner = node();
    link_to(owner, "_a", drawn_single_dictionary(&w, drawn_text(&w, "a"), owner));
    return owner;
}

/* The variable holds an object that knows nothing of the block. */
static loupe_addr block_with_a_variable(void) {
    return drawn_block_of(&w, "r", drawn_byref_of(&w, 3, node()));
}

static loupe_addr pair_of_a_subclass(void) {
    drawn_class(&w, "Subclass", "Node", "");
    loupe_addr left = drawn_object(&w, "Subclass"), right = drawn_object(&w, "Subclass");
    link_to(left, "_a", right);
    link_to(right, "_a", left);
    return left;
}

#define L PARITY_LEAKED
static const struct parity_case cases[] = {
    {"testEmptyCollector", PARITY_DRAWN(nothing), NULL, "Loupe says that nil is no object", L, 0,
     0},
    {"testSimpleCycle", PARITY_DRAWN(pair), "delegate_strong", NULL, L, 1, 1},
    {"testSingleObjectCycle", PARITY_DRAWN(single_object), "self_loop", NULL, L, 1, 1},
    {"testBlockCycle", PARITY_DRAWN(block_that_captures), "self_block", NULL, L, 1, 1},
    {"testComplexCycle", PARITY_DRAWN(clique_of_three), NULL, "five rings in one knot", L, 1, 1},
    {"testReachableCycle", PARITY_DRAWN(pair_that_a_variable_holds), "held_ring", NULL, L, 0, 0},
    {"testNSObject", PARITY_DRAWN(plain_object), NULL, NULL, L, 0, 0},
    {"testManyCollections", PARITY_DRAWN(twenty_rings), NULL, NULL, L, 20, 20},
    {"testArrayCycle", PARITY_DRAWN(array_in_ring), "array_member", NULL, L, 1, 1},
    {"testSetCycle", PARITY_DRAWN(set_in_ring), "set_member", NULL, L, 1, 1},
    {"testDictionaryCycle", PARITY_DRAWN(dictionary_in_ring), "dict_value", NULL, L, 1, 1},
    {"test__blockReference", PARITY_DRAWN(block_with_a_variable), NULL, NULL, L, 0, 0},
    {"testSimpleSubclassCycle", PARITY_DRAWN(pair_of_a_subclass), NULL, NULL, L, 1, 1},
};
const struct parity_suite parity_circle = PARITY_SUITE("CircleTests", cases);
