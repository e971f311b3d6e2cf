/*
 * Near misses: for every kind of edge, what looks like one and keeps nothing alive. Each heap has
 * the object's address where a reference of the kind would stand; a walk must not go there. Beside
 * them stands the true reference, so that a kind whose edges are never found cannot pass.
 *
 * A new kind of edge needs a row here. With an argument the program prints the rows as a table,
 * fields separated by tabs.
 */
#include "check.h"
#include "objects/drawn_collections.h"
#include "graph/graph.h"
#include "show_walk.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct drawn_world w;
static loupe_addr kept; /* the object that would be kept alive, of class Kept */

enum { WORD = 8, KEY = 0x7000, ASSIGN = 0, GETTER_RETAINS = 0x100, RETAIN = 0x301, COPY = 0x303 };

/* ---- Boxes: an object that knows of the one kept and does not own it ---- */

static loupe_addr holder(const char *ivars, const char *ivar) {
    drawn_class(&w, "Holder", "NSObject", ivars);
    loupe_addr object = drawn_object(&w, "Holder");
    drawn_set(&w, object, ivar, kept);
    return object;
}

static loupe_addr weak_box(void) {
    return holder("weak _target @", "_target");
}

/* [NSValue valueWithNonretainedObject:] keeps its bytes behind its ivars. */
static loupe_addr value_box(void) {
    drawn_framework_class(&w, "NSConcreteValue", "NSObject", 32);
    loupe_addr value = drawn_object(&w, "NSConcreteValue");
    drawn_put_word(&heap, value + 24, kept);
    return value;
}

/* ---- Instance variables ---- */

static loupe_addr strong_ivar(void) {
    return holder("strong _o @", "_o");
}

static loupe_addr assigned_ivar(void) {
    w.manual = true;
    loupe_addr object = holder("none _o @", "_o");
    drawn_properties(&w, "Holder", "o T@,N,V_o");
    return object;
}

static loupe_addr unretained_ivar(void) {
    return holder("none _o @", "_o");
}

static loupe_addr pointer_ivar(void) {
    return holder("none _o ^v", "_o");
}

/* ---- Captures and __block variables ---- */

static loupe_addr strong_capture(void) {
    return drawn_block_of(&w, "s", kept);
}

static loupe_addr weak_capture(void) {
    return drawn_block_of(&w, "w", kept);
}

static loupe_addr unretained_capture(void) {
    return drawn_block_of(&w, "u", kept);
}

static loupe_addr capture_of_a_noescape_block(void) {
    return drawn_block_flagged(&w, 0xd0800000, "s", kept);
}

static loupe_addr captured_pointer(void) {
    return drawn_block_of(&w, "d", kept);
}

enum { POINTER = 2, STRONG = 3, WEAK = 4, UNRETAINED = 5, HAS_HELPERS = 1 << 25 };

static loupe_addr variable(unsigned kind) {
    return drawn_block_of(&w, "r", drawn_byref_of(&w, kind, kept));
}

static loupe_addr strong_variable(void) {
    return variable(STRONG);
}

static loupe_addr weak_variable(void) {
    return variable(WEAK);
}

static loupe_addr unretained_variable(void) {
    return variable(UNRETAINED);
}

static loupe_addr variable_without_helpers(void) {
    loupe_addr byref = drawn_byref_of(&w, STRONG, 0);
    uint32_t flags;
    drawn_get(&heap, byref + 16, &flags, sizeof(flags));
    drawn_put_u32(&heap, byref + 16, flags & ~(uint32_t)HAS_HELPERS);
    drawn_put_u32(&heap, byref + 20, 32);
    drawn_put_word(&heap, byref + 24, kept);
    return drawn_block_of(&w, "r", byref);
}

static loupe_addr pointer_variable(void) {
    return variable(POINTER);
}

/* ---- Associations ---- */

static loupe_addr host_with(uint64_t policy, loupe_addr value) {
    loupe_addr host = drawn_object(&w, "NSObject");
    drawn_associate(&w, host, KEY, policy, value);
    return host;
}

static loupe_addr retained_association(void) {
    return host_with(RETAIN, kept);
}

static loupe_addr associated_block(void) {
    return host_with(COPY, weak_capture());
}

static loupe_addr assigned_association(void) {
    return host_with(ASSIGN, kept);
}

static loupe_addr associated_value(void) {
    return host_with(RETAIN, value_box());
}

static loupe_addr association_retained_when_read(void) {
    return host_with(GETTER_RETAINS, kept);
}

/* ---- Collections ---- */

static loupe_addr array(void) {
    return drawn_array(&w, 1, kept);
}

static loupe_addr weak_hash_table(void) {
    return drawn_hash_table(&w, false, 1, kept);
}

static loupe_addr array_without_callbacks(void) {
    return drawn_cf_array(&w, false, 0, 1, kept);
}

static loupe_addr array_of_values(void) {
    return drawn_array(&w, 1, value_box());
}

static loupe_addr opaque_pointer_array(void) {
    return drawn_pointer_array(&w, false, 1, kept);
}

static loupe_addr other(void) {
    return drawn_object(&w, "NSObject");
}

static loupe_addr dictionary_key(void) {
    return drawn_dictionary(&w, 1, kept, other());
}

static loupe_addr weak_key(void) {
    return drawn_map_table(&w, false, true, 1, kept, other());
}

static loupe_addr key_without_callbacks(void) {
    return drawn_cf_dictionary(&w, 0, 3, 1, kept, other());
}

static loupe_addr value_as_key(void) {
    return drawn_dictionary(&w, 1, value_box(), other());
}

static loupe_addr number_as_key(void) {
    w.slice = DRAWN_SLICE_SHARED;
    return drawn_map_table(&w, false, true, 1, kept, other());
}

static loupe_addr dictionary_value(void) {
    return drawn_dictionary(&w, 1, drawn_text(&w, "key"), kept);
}

static loupe_addr weak_value(void) {
    return drawn_map_table(&w, true, false, 1, other(), kept);
}

static loupe_addr value_without_callbacks(void) {
    return drawn_cf_dictionary(&w, 3, 0, 1, other(), kept);
}

static loupe_addr value_as_value(void) {
    return drawn_dictionary(&w, 1, drawn_text(&w, "key"), value_box());
}

static loupe_addr number_as_value(void) {
    w.slice = DRAWN_SLICE_SHARED;
    return drawn_map_table(&w, true, false, 1, other(), kept);
}

/* ---- Timers and others that act on something ---- */

enum { INFO_AT = 160, RETAIN_AT = 168 };

static loupe_addr timer_target(void) {
    return drawn_target_timer(&w, kept, 0);
}

static loupe_addr timer_with_a_proxy(void) {
    return drawn_target_timer(&w, weak_box(), 0);
}

static loupe_addr action_of_a_control(void) {
    drawn_class(&w, "UIControlTargetAction", "NSObject", "none _target @; none _action :");
    loupe_addr action = drawn_object(&w, "UIControlTargetAction");
    drawn_set(&w, action, "_target", kept);
    return action;
}

static loupe_addr invocation(void) {
    w.manual = true;
    drawn_class(&w, "NSInvocation", "NSObject",
                "none _frame ^v; none _retdata ^v; none _signature @; none _container @");
    loupe_addr object = drawn_object(&w, "NSInvocation"), frame = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, frame, kept);
    drawn_set(&w, object, "_frame", frame);
    return object;
}

static loupe_addr context_of_a_dispatch_source(void) {
    enum { CONTEXT_AT = 32, REFS_AT = 88, OWNER_AT = 8 };
    loupe_addr refs = drawn_alloc(&heap, 64);
    drawn_framework_class(&w, "OS_dispatch_source", "NSObject", 96);
    loupe_addr source = drawn_object(&w, "OS_dispatch_source");
    drawn_put_word(&heap, source + CONTEXT_AT, kept);
    drawn_put_word(&heap, source + REFS_AT, refs);
    drawn_put_word(&heap, refs + OWNER_AT, ~source);
    return source;
}

static loupe_addr user_info(void) {
    return drawn_target_timer(&w, other(), kept);
}

static loupe_addr user_info_with_a_proxy(void) {
    return drawn_target_timer(&w, other(), weak_box());
}

static loupe_addr timer_that_retains_nothing(void) {
    loupe_addr timer = drawn_target_timer(&w, other(), kept);
    drawn_put_word(&heap, timer + RETAIN_AT, 0);
    return timer;
}

static loupe_addr user_info_in_a_value(void) {
    return drawn_target_timer(&w, other(), value_box());
}

static loupe_addr info_of_a_c_timer(void) {
    loupe_addr timer = drawn_target_timer(&w, 0, 0);
    drawn_put_word(&heap, timer + INFO_AT, kept);
    drawn_put_word(&heap, timer + RETAIN_AT, 0);
    return timer;
}

/* ---- The rows ---- */

enum { MANNERS = 4 };
static const char *const manners[MANNERS] = {"weak", "assign", "nonretained", "opaque"};

struct drawing {
    const char *what;
    loupe_addr (*draw)(void);
};

static const struct row {
    struct drawing edge;
    struct drawing misses[MANNERS]; /* in the order of manners[] */
} rows[LOUPE_EDGE_WORD] = {
    [LOUPE_EDGE_IVAR] = {{"strong ivar", strong_ivar},
                         {{"`__weak` ivar", weak_box},
                          {"ivar of an assigned property, manual retain/release", assigned_ivar},
                          {"`__unsafe_unretained` ivar", unretained_ivar},
                          {"`void *` ivar", pointer_ivar}}},
    [LOUPE_EDGE_CAPTURE] = {{"strong capture", strong_capture},
                            {{"`__weak` capture", weak_capture},
                             {"`__unsafe_unretained` capture", unretained_capture},
                             {"capture of a noescape block", capture_of_a_noescape_block},
                             {"captured `void *`", captured_pointer}}},
    [LOUPE_EDGE_BYREF] = {{"`__block` variable", strong_variable},
                          {{"`__block __weak` variable", weak_variable},
                           {"`__block` variable without ARC", unretained_variable},
                           {"`__block` variable that no helper releases", variable_without_helpers},
                           {"`__block void *` variable", pointer_variable}}},
    [LOUPE_EDGE_ASSOCIATION] = {{"retained", retained_association},
                                {{"block with a weak capture", associated_block},
                                 {"assigned", assigned_association},
                                 {"NSValue of a nonretained object", associated_value},
                                 {"retained only when read", association_retained_when_read}}},
    [LOUPE_EDGE_ELEMENT] = {{"element of an array", array},
                            {{"weak hash table", weak_hash_table},
                             {"CFArray without callbacks", array_without_callbacks},
                             {"array of NSValues", array_of_values},
                             {"pointer array of opaque memory", opaque_pointer_array}}},
    [LOUPE_EDGE_KEY] = {{"key of a dictionary", dictionary_key},
                        {{"weak key of a map table", weak_key},
                         {"CFDictionary without key callbacks", key_without_callbacks},
                         {"NSValue as a key", value_as_key},
                         {"opaque key of a map table", number_as_key}}},
    [LOUPE_EDGE_VALUE] = {{"value of a dictionary", dictionary_value},
                          {{"weak value of a map table", weak_value},
                           {"CFDictionary without value callbacks", value_without_callbacks},
                           {"NSValue as a value", value_as_value},
                           {"opaque value of a map table", number_as_value}}},
    [LOUPE_EDGE_TARGET] = {{"target of a timer", timer_target},
                           {{"proxy with a weak ivar as the target", timer_with_a_proxy},
                            {"action of a control", action_of_a_control},
                            {"invocation that retained nothing", invocation},
                            {"context of a dispatch source", context_of_a_dispatch_source}}},
    [LOUPE_EDGE_USER_INFO] = {{"user info of a timer", user_info},
                              {{"proxy with a weak ivar", user_info_with_a_proxy},
                               {"timer context that retains nothing", timer_that_retains_nothing},
                               {"NSValue of a nonretained object", user_info_in_a_value},
                               {"info of a CFRunLoopTimer", info_of_a_c_timer}}},
};

/* Programs in tests/fixtures/ that show the same, with the object to ask about. */
static const char *const fixtures[LOUPE_EDGE_WORD][MANNERS] = {
    [LOUPE_EDGE_IVAR] = {"delegate_weak", NULL, "near_misses", "near_misses.address"},
    [LOUPE_EDGE_CAPTURE] = {"self_block_weak", "unretained_capture", "noescape_block",
                            "near_misses.captured"},
    [LOUPE_EDGE_BYREF] = {"byref_weak", "mrc_block.guard", "near_misses.unretained",
                          "near_misses.variable"},
    [LOUPE_EDGE_ASSOCIATION] = {"assoc_copy.guard", "assoc_pair.guard", "near_misses.associated",
                                NULL},
    [LOUPE_EDGE_ELEMENT] = {"hash_table.guard", NULL, "near_misses.element",
                            "foundation_holders.guardPointing"},
    [LOUPE_EDGE_KEY] = {"map_table.guardKeyed", NULL, "dict_key.guard", "near_misses.opaqueKey"},
    [LOUPE_EDGE_VALUE] = {"map_table.guard", NULL, "near_misses.value", "near_misses.opaqueValue"},
    [LOUPE_EDGE_TARGET] = {"timer_target.guard", NULL, "foundation_holders.guard",
                           "foundation_holders.guardDispatching"},
    [LOUPE_EDGE_USER_INFO] = {"near_misses.userInfo", NULL, "near_misses.userInfoValue", NULL}};

/* ---- The tests ---- */

static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Kept", "NSObject", "");
    kept = drawn_object(&w, "Kept");
}

/* Whether the object's address stands anywhere in the heap: a miss by not even trying is none. */
static bool is_mentioned(void) {
    for (loupe_addr at = heap.regions[0].start; at + WORD <= heap.next; at += WORD) {
        loupe_addr word = 0;
        drawn_get(&heap, at, &word, WORD);
        if (word == kept)
            return true;
    }
    return false;
}

static void test_every_kind_of_edge_is_found(void) {
    for (unsigned kind = 0; kind < LOUPE_EDGE_WORD; kind++) {
        char want[64];
        const char *name = loupe_edge_kind_name((enum loupe_edge_kind)kind);
        snprintf(want, sizeof(want), "--> Kept (%s)\n", name);
        if (!CHECK(rows[kind].edge.draw != NULL)) {
            printf("    no edge of kind %s\n", name);
            continue;
        }
        open_world();
        char *got = show_walk(&w, rows[kind].edge.draw());
        if (!CHECK(strstr(got, want) != NULL))
            printf("    %s: %s\n", rows[kind].edge.what, got);
        free(got);
        drawn_world_deinit(&w);
    }
}

static void check_miss(const struct drawing *miss) {
    open_world();
    char *got = show_walk(&w, miss->draw());
    if (!CHECK(!strstr(got, "--> Kept") && !strstr(got, "error:")) || !CHECK(is_mentioned()))
        printf("    %s: %s\n", miss->what, got);
    free(got);
    drawn_world_deinit(&w);
}

static void test_every_kind_of_edge_has_near_misses_of_every_manner(void) {
    for (unsigned kind = 0; kind < LOUPE_EDGE_WORD; kind++) {
        for (unsigned i = 0; i < MANNERS; i++) {
            const struct drawing *miss = &rows[kind].misses[i];
            if (CHECK(miss->draw != NULL))
                check_miss(miss);
            else
                printf("    no near miss for %s: %s\n",
                       loupe_edge_kind_name((enum loupe_edge_kind)kind), manners[i]);
        }
    }
}

static void print_table(void) {
    printf("edge\tthe true one");
    for (unsigned i = 0; i < MANNERS; i++)
        printf("\t%s", manners[i]);
    for (unsigned kind = 0; kind < LOUPE_EDGE_WORD; kind++) {
        printf("\n%s\t%s", loupe_edge_kind_name((enum loupe_edge_kind)kind), rows[kind].edge.what);
        for (unsigned i = 0; i < MANNERS; i++) {
            const char *fixture = fixtures[kind][i];
            printf("\t%s%s%s", rows[kind].misses[i].what, fixture ? "; fixture " : "",
                   fixture ? fixture : "");
        }
    }
    printf("\n");
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        print_table();
        return 0;
    }
    RUN(test_every_kind_of_edge_is_found);
    RUN(test_every_kind_of_edge_has_near_misses_of_every_manner);
    return check_report();
}
