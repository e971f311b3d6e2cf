/* Retain cycles of an object. */
#include "heap_verb.h"

const struct verb verb_retain_cycles = {
    .name = "retain-cycles",
    .summary = "retain cycles (leaks) that keep an Objective-C object alive, with fixes",
    .help = "Searches everything the object keeps alive, and shows each retain cycle as a path "
            "with names, whether it is leaked, and what to make weak. Without an expression it "
            "asks about self. With --all it looks at the whole heap, and equal ones are one; a "
            "snapshot of the stop is made for that, once.\n\nIt succeeds also if nothing is found. "
            "With --fail-if-found a retain cycle makes the command fail, so that `lldb -b` stops "
            "and exits with 1; with --baseline a loop does that the file does not have, unless "
            "--write-baseline records it. Both fail, too, if nothing was found so far and the "
            "search is incomplete, unless --allow-incomplete is given. --filters none hides "
            "nothing, not even what Loupe hides by itself.",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "stop",
    .keys = "seed objects knots_found possible_found knots hidden baseline",
    .next = "strong-refs path",
    .is_global = true,
    .takes_expression = true,
    .examples = {{"retain-cycles", "about self"},
                 {"retain-cycles self->_delegate", "about an ivar"},
                 {"retain-cycles --all", "of the whole heap"},
                 {"retain-cycles -n 5 0x600003a04000", "up to five loops of each"},
                 {"retain-cycles --html leak.html self", "a page with the loop to try cuts on"},
                 {"retain-cycles --dot knot.dot self", "a graph for Graphviz"},
                 {"retain-cycles -q --timeout 2 self", "in a breakpoint action"},
                 {"retain-cycles -j -o rings.json --fail-if-found self", "in CI"},
                 {"retain-cycles --format sarif -o leaks.sarif self", "for code scanning"},
                 {"retain-cycles --explain self", "also loops that weak references prevent"},
                 {"retain-cycles --filters ours.txt self", "ignore intended references"},
                 {"retain-cycles --write-baseline known.txt self", "record what is there"},
                 {"retain-cycles --baseline known.txt self", "only new ones, failing"}},
    .run = heap_verb_cycles,
    .run_on_target = heap_verb_cycles_on_target,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
