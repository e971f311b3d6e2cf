/* What the sentence of a fix says, change by change. */
#include "answers/fix_sentence.h"
#include "check.h"

#include <string.h>

static char text[512];

static const char *say(struct answer_subject subject) {
    struct answer_fix fix = {.subjects = &subject, .count = 1};
    size_t length = answer_fix_sentence(&fix, text, sizeof(text));
    CHECK_EQ(length, strlen(text));
    return text;
}

/* A reference whose texts are all there. */
static struct answer_subject subject_of(enum loupe_change change, enum loupe_edge_kind kind,
                                        const char *owner, const char *path, const char *held) {
    return (struct answer_subject){.change = change,
                                   .kind = kind,
                                   .path = path,
                                   .owner = owner,
                                   .held = held,
                                   .holder = "NSMutableArray 0x1f00",
                                   .block = "the block at a.m:3",
                                   .collection = "",
                                   .declared = ""};
}

/* Behind each sentence about an ivar stands where it is declared. */
static void test_declarations(void) {
    struct answer_subject subject =
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_IVAR, "Cell", "_delegate", "Screen");
    subject.declared = "Cell.m:57";
    CHECK_STR(say(subject), "make Cell._delegate weak (Cell.m:57)");
    struct answer_fix unsure = {.subjects = &subject, .count = 1, .unowned_name = true};
    answer_fix_sentence(&unsure, text, sizeof(text));
    CHECK_STR(text, "check that Cell._delegate does not retain the Screen (Cell.m:57)");
    struct answer_fix last = {.subjects = &subject, .count = 1, .only_holder = true};
    answer_fix_sentence(&last, text, sizeof(text));
    CHECK_STR(text, "make Cell._delegate weak (Cell.m:57) (first give Screen another owner: this "
                    "is its only one)");
    struct answer_subject two[] = {subject, subject};
    two[1].path = "_other";
    two[1].declared = "Cell.m:58";
    struct answer_fix both = {.subjects = two, .count = 2};
    answer_fix_sentence(&both, text, sizeof(text));
    CHECK_STR(text, "make Cell._delegate weak (Cell.m:57) and make Cell._other weak (Cell.m:58)");
    subject.change = LOUPE_SET_TO_NIL;
    CHECK_STR(say(subject), "set Cell._delegate to nil when it is no longer needed (Cell.m:57)");
    subject.change = LOUPE_INVALIDATE;
    CHECK_STR(say(subject),
              "invalidate the timer in Cell._delegate when it is no longer needed (Cell.m:57)");
    subject.change = LOUPE_REMOVE_TOKEN;
    CHECK_STR(say(subject), "pass Cell._delegate to -removeObserver: and set it to nil when it is "
                            "no longer needed (Cell.m:57)");
    subject = subject_of(LOUPE_TAKE_OUT, LOUPE_EDGE_ELEMENT, "NSMutableArray", "[3]", "Screen");
    subject.declared = "NSArray.h:1"; /* the change is elsewhere */
    CHECK_STR(say(subject),
              "take the Screen out of the NSMutableArray 0x1f00, or hold it there weakly");
}

/* What is in a collection is taken out where somebody has that: it has a name there, and a line. */
static void test_collections_that_an_ivar_has(void) {
    struct answer_subject subject =
        subject_of(LOUPE_TAKE_OUT, LOUPE_EDGE_ELEMENT, "NSMutableArray", "[3]", "Screen");
    subject.collection = "Feed.items";
    CHECK_STR(say(subject), "take the Screen out of Feed.items, or hold it there weakly");
    subject.declared = "Feed.m:9";
    CHECK_STR(say(subject),
              "take the Screen out of Feed.items, or hold it there weakly (Feed.m:9)");
    subject.change = LOUPE_REMOVE_OBSERVER;
    CHECK_STR(say(subject), "remove the Screen from Feed.items before it is to be freed (not in "
                            "-dealloc, which Feed.items prevents), or hold it there weakly "
                            "(Feed.m:9)");
    subject =
        subject_of(LOUPE_TAKE_OUT, LOUPE_EDGE_VALUE, "NSMutableDictionary", "[\"k\"]", "Cell");
    subject.collection = "Feed.cells";
    CHECK_STR(say(subject), "remove [\"k\"] from Feed.cells, or use a map table with weak values");
}

static void test_what_ends_in_its_own_way(void) {
    struct answer_subject subject =
        subject_of(LOUPE_REMOVE_ACTIONS, LOUPE_EDGE_IVAR, "Sketch", "_undo", "NSUndoManager");
    CHECK_STR(say(subject), "send -removeAllActions to Sketch._undo before Sketch is to be freed "
                            "(not in -dealloc, which the actions prevent)");
    subject = subject_of(LOUPE_FINISH, LOUPE_EDGE_TARGET, "NSInvocation", "target", "Command");
    CHECK_STR(say(subject), "release the NSInvocation before Command is to be freed (not in "
                            "-dealloc, which the invocation prevents), or do not have it retain "
                            "its arguments");
}

static void test_ivars(void) {
    struct answer_subject subject =
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_IVAR, "Cell", "_delegate", "Screen");
    CHECK_STR(say(subject), "make Cell._delegate weak");
    subject.owner = "feed.Cell"; /* of Swift */
    CHECK_STR(say(subject), "make feed.Cell._delegate a weak var");
    subject.owner = "Cell";
    subject.is_manual = true;
    CHECK_STR(say(subject), "hold Cell._delegate without retaining it");
    subject.change = LOUPE_SET_TO_NIL;
    CHECK_STR(say(subject), "set Cell._delegate to nil when it is no longer needed");
    subject.held_is_block = true;
    CHECK_STR(say(subject), "set Cell._delegate to nil when the block is no longer needed");
}

static void test_what_acts_on_a_target_is_ended(void) {
    struct answer_subject subject =
        subject_of(LOUPE_INVALIDATE, LOUPE_EDGE_IVAR, "Poller", "_timer", "NSTimer");
    CHECK_STR(say(subject), "invalidate the timer in Poller._timer when it is no longer needed");
    subject = subject_of(LOUPE_INVALIDATE_BEFORE, LOUPE_EDGE_TARGET, "NSTimer", "target", "Poller");
    CHECK_STR(say(subject),
              "invalidate the NSTimer before Poller is to be freed (not in -dealloc, which the "
              "timer prevents), or use a block that captures the target weakly");
    subject.change = LOUPE_CANCEL;
    CHECK_STR(say(subject),
              "cancel the NSTimer before Poller is to be freed (not in -dealloc, which the NSTimer "
              "prevents), or use a block that captures the target weakly");
    subject.held_is_block = true;
    CHECK_STR(say(subject), "cancel the NSTimer when its block is no longer needed");
    subject.change = LOUPE_INVALIDATE;
    CHECK_STR(say(subject), "invalidate the NSTimer when its block is no longer needed");
    subject = subject_of(LOUPE_INVALIDATE, LOUPE_EDGE_IVAR, "Feed", "_net", "NSURLSession");
    CHECK_STR(say(subject), "invalidate the session in Feed._net when it is no longer needed");
    subject =
        subject_of(LOUPE_INVALIDATE_BEFORE, LOUPE_EDGE_IVAR, "NSURLSession", "_delegate", "Feed");
    CHECK_STR(say(subject), "invalidate the NSURLSession before Feed is to be freed (not in "
                            "-dealloc, which the session prevents)");
    subject = subject_of(LOUPE_REMOVE_TOKEN, LOUPE_EDGE_IVAR, "Feed", "_token", "__NSObserver");
    CHECK_STR(say(subject), "pass Feed._token to -removeObserver: and set it to nil when it is no "
                            "longer needed");
    subject = subject_of(LOUPE_REMOVE_TOKEN, LOUPE_EDGE_IVAR, "__NSObserver", "_block", "block");
    subject.held_is_block = true;
    CHECK_STR(say(subject), "pass the __NSObserver to -removeObserver:, and release it, when its "
                            "block is no longer needed");
    subject = subject_of(LOUPE_FINISH, LOUPE_EDGE_TARGET, "NSTimer", "target", "Poller");
    CHECK_STR(say(subject),
              "end the NSTimer before Poller is to be freed, or give it another target");
}

static void test_captures_of_swift(void) {
    struct answer_subject subject = subject_of(LOUPE_CAPTURE_WEAKLY, LOUPE_EDGE_CAPTURE,
                                               "feed.Screen", "onDone", "feed.Screen");
    CHECK_STR(say(subject), "capture [weak self] in the closure in feed.Screen.onDone");
    subject.held = "feed.Cell";
    CHECK_STR(say(subject), "capture the feed.Cell weakly in the closure in feed.Screen.onDone");
    subject.path = "+16";
    subject.owner = "closure context";
    subject.holder = "closure context 0x1f00";
    CHECK_STR(say(subject),
              "capture the feed.Cell (+16) weakly in the closure of closure context 0x1f00");
}

static void test_captures(void) {
    struct answer_subject subject =
        subject_of(LOUPE_CAPTURE_WEAKLY, LOUPE_EDGE_CAPTURE, "block", "self", "Screen");
    CHECK_STR(say(subject), "capture self weakly in the block at a.m:3");
    subject.held_is_block = true;
    CHECK_STR(say(subject),
              "do not capture the block self strongly in the block at a.m:3: use a weak copy");
    subject.path = "+32";
    CHECK_STR(say(subject),
              "do not capture the block at +32 strongly in the block at a.m:3: use a weak copy");
    subject.held_is_block = false;
    CHECK_STR(say(subject), "capture the Screen (+32) weakly in the block at a.m:3");
    subject.is_manual = true;
    CHECK_STR(say(subject), "capture the Screen (+32) by a __block variable in the block at a.m:3");
    subject.path = "self";
    CHECK_STR(say(subject), "capture self by a __block variable in the block at a.m:3");
    subject.path = "+32";
    subject.change = LOUPE_SET_TO_NIL;
    CHECK_STR(say(subject),
              "set the __block variable at +32 to nil when the block is done, or make it weak");
}

static void test_block_variables(void) {
    struct answer_subject subject =
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_BYREF, "__block variable", "me", "Screen");
    CHECK_STR(say(subject),
              "declare the __block variable me __weak, or set it to nil when the block is done");
    subject.path = "+40";
    CHECK_STR(say(subject),
              "declare the __block variable __weak, or set it to nil when the block is done");
    subject.path = "box.me";
    CHECK_STR(say(subject), "make box.me weak, or set it to nil when the block is done");
}

static void test_collections_and_wrappers(void) {
    CHECK_STR(say(subject_of(LOUPE_TAKE_OUT, LOUPE_EDGE_ELEMENT, "NSArray", "[2]", "Cell")),
              "take the Cell out of the NSMutableArray 0x1f00, or hold it there weakly");
    CHECK_STR(say(subject_of(LOUPE_TAKE_OUT, LOUPE_EDGE_VALUE, "NSDictionary", "[\"k\"]", "Cell")),
              "remove [\"k\"] from the NSMutableArray 0x1f00, or use a map table with weak values");
    CHECK_STR(say(subject_of(LOUPE_WEAK_KEYS, LOUPE_EDGE_KEY, "NSMapTable", "k", "Cell")),
              "do not use the Cell as a key of the NSMutableArray 0x1f00, or use a map table with "
              "weak keys");
    CHECK_STR(say(subject_of(LOUPE_WEAK_WRAPPER, LOUPE_EDGE_ASSOCIATION, "Host", "kKey", "Guest")),
              "associate kKey with the Host through a weak wrapper, or remove it");
    CHECK_STR(say(subject_of(LOUPE_WEAK_WRAPPER, LOUPE_EDGE_USER_INFO, "NSTimer", "info", "Cell")),
              "do not pass the Cell as user info of the NSTimer: pass a weak wrapper");
}

static void test_shared_pointers(void) {
    struct answer_subject subject = subject_of(LOUPE_WEAK_PTR, LOUPE_EDGE_SHARED_PTR,
                                               "Child (make_shared)", "+8", "Parent (make_shared)");
    CHECK_STR(say(subject), "make the shared_ptr at Child+8 a std::weak_ptr");
    subject.path = "parent";
    CHECK_STR(say(subject), "make Child::parent a std::weak_ptr");
    subject.path = "box (variant)";
    CHECK_STR(say(subject), "make the shared_ptr in Child::box (variant) a std::weak_ptr");
    subject.path = "done (function)";
    CHECK_STR(say(subject), "capture a std::weak_ptr to the Parent in Child::done (function)");
    subject.owner_is_memory = true;
    subject.holder = "non-object 0x1f00";
    subject.path = "+0";
    CHECK_STR(say(subject), "make the shared_ptr at +0 of the non-object 0x1f00 a std::weak_ptr");
    subject.owner = "tree node (by its shape)";
    subject.collection = "Album+16";
    CHECK_STR(say(subject), "make the shared_ptrs in the tree node at Album+16 std::weak_ptrs");
    subject.collection = "Album::tracks (map)";
    CHECK_STR(say(subject), "make the shared_ptrs in Album::tracks (map) std::weak_ptrs");
    subject.owner_is_memory = false;
    subject.owner = "coroutine frame of app::load(int)";
    CHECK_STR(say(subject), "have the coroutine app::load(int) keep a std::weak_ptr to the Parent");
    subject.change = LOUPE_CAPTURE_WEAK_PTR;
    subject.owner = "run()::{lambda()#1} (std::function)";
    CHECK_STR(say(subject),
              "capture a std::weak_ptr to the Parent in run()::{lambda()#1} (std::function)");
    CHECK_STR(say(subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_WORD, "Frame", "+16", "Document")),
              "make the pointer at Frame+16 one that does not own the Document");
}

/* Answers of older makers do not say what to do. */
static void test_what_nobody_decided(void) {
    CHECK_STR(say(subject_of(LOUPE_CHANGE_COUNT, LOUPE_EDGE_IVAR, "Cell", "_all", "NSArray")),
              "make the reference _all of the NSMutableArray 0x1f00 weak");
}

static void test_several_references_and_what_speaks_against(void) {
    struct answer_subject subjects[] = {
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_IVAR, "Table", "_delegate", "Screen"),
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_IVAR, "Table", "_dataSource", "Screen"),
        subject_of(LOUPE_MAKE_WEAK, LOUPE_EDGE_IVAR, "Table", "_delegate", "Screen")};
    struct answer_fix fix = {.subjects = subjects, .count = 3, .only_holder = true};
    answer_fix_sentence(&fix, text, sizeof(text));
    CHECK_STR(text, "make Table._delegate weak and make Table._dataSource weak (first give Screen "
                    "another owner: this is its only one)");
    CHECK_EQ(answer_fix_sentence(&fix, text, 30), 29); /* cut, and ended */
    CHECK_EQ(text[29], 0);
    fix.frees_at_once = true;
    answer_fix_sentence(&fix, text, sizeof(text));
    CHECK_STR(text, "make Table._delegate weak and make Table._dataSource weak; this would free "
                    "the Screen at once");
    CHECK_EQ(answer_fix_sentence(&fix, text, 80), 79);
    fix.unowned_name = true;
    answer_fix_sentence(&fix, text, sizeof(text));
    CHECK_STR(text, "check that Table._delegate does not retain the Screen");
}

static void test_kinds_have_the_names_of_answers(void) {
    CHECK_EQ(answer_edge_kind(loupe_span_of("user-info")), LOUPE_EDGE_USER_INFO);
    CHECK_EQ(answer_edge_kind(loupe_span_of("")), LOUPE_EDGE_KIND_COUNT);
}

int main(void) {
    RUN(test_collections_that_an_ivar_has);
    RUN(test_what_ends_in_its_own_way);
    RUN(test_ivars);
    RUN(test_declarations);
    RUN(test_what_acts_on_a_target_is_ended);
    RUN(test_captures);
    RUN(test_captures_of_swift);
    RUN(test_block_variables);
    RUN(test_collections_and_wrappers);
    RUN(test_shared_pointers);
    RUN(test_what_nobody_decided);
    RUN(test_several_references_and_what_speaks_against);
    RUN(test_kinds_have_the_names_of_answers);
    return check_report();
}
