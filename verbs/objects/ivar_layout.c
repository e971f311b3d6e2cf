/* An object's ivars. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_ivar_layout = {
    .name = "ivar-layout",
    .summary = "an object's or a class's ivars with their ownership",
    .help =
        "Shows each class of the hierarchy with its ivars: offset, size, type, ownership, and "
        "the value if an object was given; and the runtime's layout strings, decoded. It only "
        "reads memory; with --probe it runs the class's .cxx_destruct once in the program, on a "
        "copy made of fake objects.",
    .terminal = "FILE OBJECT|CLASS",
    .lldb = "<expr or class name>",
    .needs = "stop",
    .keys = "class levels object probe",
    .next = "strong-refs",
    .is_global = true,
    .takes_expression = true,
    .examples = {{"ivar-layout self", ""},
                 {"ivar-layout PhotoViewController", "a class by name"},
                 {"ivar-layout --probe self", "compare with what is destroyed"}},
    .run = heap_verb_needs_target,
    .run_on_target = heap_verb_ivar_layout,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
