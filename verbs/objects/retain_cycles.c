/* Retain cycles of an object. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_retain_cycles = {
    .name = "retain-cycles",
    .summary = "retain cycles, leaked or held, that keep an Objective-C object alive, with fixes",
    .help = "Searches everything that the object reaches, and shows each retain cycle with the "
            "names of its references, whether it is leaked, and its fixes. Without an expression "
            "it asks about self. With --all it searches the whole heap, and equal cycles are one "
            "entry.\n\nThe command fails only with --fail-if-found, if there is a retain cycle, or "
            "with --baseline, if there is a loop that FILE does not have (unless --write-baseline "
            "records it). Both also fail if the search is incomplete, unless --allow-incomplete is "
            "given. `lldb -b` then stops and exits with 1 for a finding, and with 2 for all else. "
            "--filters none hides nothing, not even what Loupe's own filters hide.",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "stop",
    .keys = "seed objects knots_found possible_found knots hidden baseline "
            "freed dangling dangling_found dangling_reason",
    .next = "strong-refs path",
    .is_global = true,
    .takes_expression = true,
    .examples = {{"retain-cycles", "about self"},
                 {"retain-cycles self->_delegate", "about an ivar"},
                 {"retain-cycles --all", "of the whole heap"},
                 {"retain-cycles -n 5 0x600003a04000", "up to five loops of each"},
                 {"retain-cycles --html leak.html self", "an HTML page to try fixes on"},
                 {"retain-cycles --dot cycle.dot self", "a graph for Graphviz"},
                 {"retain-cycles -q --timeout 2 self", "in a breakpoint action"},
                 {"retain-cycles -j -o cycles.json --fail-if-found self", "in CI"},
                 {"retain-cycles --format sarif -o leaks.sarif self", "for code scanning"},
                 {"retain-cycles --explain self", "also loops that weak references prevent"},
                 {"retain-cycles --filters ours.txt self", "ignore intended references"},
                 {"retain-cycles --write-baseline known.txt self", "record the current ones"},
                 {"retain-cycles --baseline known.txt self",
                  "only new ones; fails if there are any"}},
    .run = heap_verb_cycles,
    .run_on_target = heap_verb_cycles_on_target,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
