/* What the advice about a reference says, kind by kind. */
#include "check.h"
#include "answers/advice.h"

#include <string.h>

static char text[512];

static const char *say(struct loupe_advised edge) {
    struct loupe_advice advice = {.references = &edge, .count = 1};
    size_t length = loupe_word_advice(&advice, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    return text;
}

/* A reference whose texts are all there. */
static struct loupe_advised edge_of(enum loupe_edge_kind kind, const char *owner, const char *path,
                                    const char *held) {
    return (struct loupe_advised){.kind = kind,
                                  .path = path,
                                  .owner = owner,
                                  .held = held,
                                  .holder = "NSMutableArray 0x1f00",
                                  .block = "the block at a.m:3"};
}

static void test_ivars(void) {
    struct loupe_advised edge = edge_of(LOUPE_EDGE_IVAR, "Cell", "_delegate", "Screen");
    CHECK_STR(say(edge), "make Cell._delegate weak");
    edge.no_weak = true;
    CHECK_STR(say(edge), "set Cell._delegate to nil when it is no longer needed");
    edge.is_manual = true;
    CHECK_STR(say(edge), "hold Cell._delegate without retaining it");
    edge.held_is_block = true;
    CHECK_STR(say(edge), "set Cell._delegate to nil when the block is no longer needed");
    edge = edge_of(LOUPE_EDGE_IVAR, "Cell", "_items", "__NSArrayM");
    CHECK_STR(say(edge), "set Cell._items to nil when it is no longer needed");
}

static void test_a_timer_is_invalidated_and_never_made_weak(void) {
    struct loupe_advised edge = edge_of(LOUPE_EDGE_IVAR, "Poller", "_timer", "NSTimer");
    const char *ended =
        "invalidate the NSTimer before the Poller should go (-dealloc is too late), "
        "or use a block that captures the target weakly";
    CHECK_STR(say(edge), "invalidate the timer in Poller._timer when it is no longer needed");
    edge.acts_on = "Poller";
    CHECK_STR(say(edge), ended);
    CHECK_STR(say(edge_of(LOUPE_EDGE_TARGET, "NSTimer", "target", "Poller")), ended);
    edge = edge_of(LOUPE_EDGE_TARGET, "OS_dispatch_source", "handler", "block");
    edge.held_is_block = true;
    CHECK_STR(say(edge), "cancel the OS_dispatch_source when its block is no longer needed");
}

static void test_captures(void) {
    struct loupe_advised edge = edge_of(LOUPE_EDGE_CAPTURE, "block", "self", "Screen");
    CHECK_STR(say(edge), "capture self weakly in the block at a.m:3");
    edge.path = "+32";
    CHECK_STR(say(edge), "capture the variable at +32 weakly in the block at a.m:3");
    edge.held_is_byref = true;
    edge.in_variable = "me";
    CHECK_STR(say(edge), "declare the __block variable me __weak, or set it to nil when the block "
                         "is done");
}

static void test_collections(void) {
    CHECK_STR(say(edge_of(LOUPE_EDGE_ELEMENT, "NSMutableArray", "[2]", "Cell")),
              "take the Cell out of the NSMutableArray 0x1f00, or hold it there weakly");
    CHECK_STR(say(edge_of(LOUPE_EDGE_ASSOCIATION, "Host", "association", "Guest")),
              "associate association with the Host through a weak wrapper, or remove it");
}

static void test_several_references_and_what_speaks_against(void) {
    struct loupe_advised edges[] = {edge_of(LOUPE_EDGE_IVAR, "Table", "_delegate", "Screen"),
                                    edge_of(LOUPE_EDGE_IVAR, "Table", "_dataSource", "Screen"),
                                    edge_of(LOUPE_EDGE_IVAR, "Table", "_delegate", "Screen")};
    struct loupe_advice advice = {.references = edges, .count = 3, .only_holder = true};
    loupe_word_advice(&advice, text, sizeof(text));
    CHECK_STR(text, "make Table._delegate weak and make Table._dataSource weak, if something else "
                    "keeps the Screen");
    CHECK_EQ(loupe_word_advice(&advice, text, 30), 29); /* cut, and ended */
    CHECK_EQ(text[29], 0);
    advice.frees_at_once = true;
    loupe_word_advice(&advice, text, sizeof(text));
    CHECK_STR(text,
              "make Table._delegate weak and make Table._dataSource weak; this would free the "
              "Screen at once");
    CHECK_EQ(loupe_word_advice(&advice, text, 80), 79);
    advice.doubtful = true;
    loupe_word_advice(&advice, text, sizeof(text));
    CHECK_STR(text, "check that Table._delegate does not retain the Screen");
}

static void test_kinds_have_the_names_of_answers(void) {
    CHECK_EQ(loupe_advised_kind(loupe_span_of("user-info")), LOUPE_EDGE_USER_INFO);
    CHECK_EQ(loupe_advised_kind(loupe_span_of("block")), LOUPE_EDGE_TARGET);
    CHECK_EQ(loupe_advised_kind(loupe_span_of("")), LOUPE_EDGE_KIND_COUNT);
}

int main(void) {
    RUN(test_ivars);
    RUN(test_a_timer_is_invalidated_and_never_made_weak);
    RUN(test_captures);
    RUN(test_collections);
    RUN(test_several_references_and_what_speaks_against);
    RUN(test_kinds_have_the_names_of_answers);
    return check_report();
}
