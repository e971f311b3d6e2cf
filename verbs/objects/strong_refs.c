/* What an object holds. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_strong_refs = {
    .name = "strong-refs",
    .summary = "what an object owns, or who keeps (leaks) it alive",
    .help = "Lists the references of an object or block, by kind and name. With --incoming: who "
            "holds it, each holder with a shortest path from a root, and whether the holders "
            "account for its retain count. Roots are globals, stacks and registers, or only the "
            "objects given with --from.",
    .terminal = "FILE OBJECT",
    .lldb = "[<expr>]",
    .needs = "stop",
    .keys = "object objects edges verdict counts holders_found holders memory_found memory roots "
            "roots_walked bytes_scanned extent keeps not_scanned not_walked freed dangling "
            "dangling_found dangling_reason",
    .next = "retain-cycles path",
    .is_global = true,
    .takes_expression = true,
    .examples = {{"strong-refs self", ""},
                 {"strong-refs self->_items", "what an array holds"},
                 {"strong-refs --incoming self", "why it is alive"},
                 {"strong-refs --explain self", "also weak and unretained references"},
                 {"strong-refs --incoming --from app self", "only holders reachable from app"}},
    .run = heap_verb_needs_target,
    .run_on_target = heap_verb_strong_refs,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
