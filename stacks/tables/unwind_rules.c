#include "tables/unwind_rules.h"

bool loupe_unwind_rules_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                             loupe_addr place, struct loupe_unwind_rules *ret) {
    bool is_elf = tables->index.start < tables->index.end;
    /* Where both are, the compact ones lead to the others. */
    bool found = tables->compact.start < tables->compact.end
                     ? loupe_compact_find(memory, tables, place, ret)
                     : loupe_cfi_find(memory, tables, place, ret);
    /* What compilers write for Darwin leaves out how a frame is given back, on arm64 how it is
     * made, too. */
    if (found && !is_elf)
        ret->is_of_body = !ret->is_signal_frame;
    return found;
}
