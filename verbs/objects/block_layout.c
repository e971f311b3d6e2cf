/* What a block captures. */
#include "verbs/code.h"
#include "verbs/verb.h"

const struct verb verb_block_layout = {
    .name = "block-layout",
    .summary = "what a block captures: names, types, offsets, ownership",
    .help = "Shows where a block was written, its signature, and every captured variable with its "
            "offset, size, type, ownership and value, and the evidence. It only reads memory; "
            "with --probe it runs the block's dispose helper once in the program, on a copy made "
            "of fake objects.",
    .terminal = "FILE BLOCK",
    .lldb = "<expr>",
    .needs = "stop",
    .keys = "block layout symbol captures conflicts probe",
    .next = "retain-cycles",
    .is_global = true,
    .takes_expression = true,
    .examples = {{"block-layout handler", "a local variable"},
                 {"block-layout self->_completion", ""},
                 {"block-layout --probe 0x600000c04b40", "compare with its helper"}},
    .run = heap_verb_needs_target,
    .run_on_target = heap_verb_block_layout,
    .files = 1,
    .least_operands = 1,
    .most_operands = 1,
};
