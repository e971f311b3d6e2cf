#include "tables/unwind_rules.h"

bool loupe_unwind_rules_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                             loupe_addr place, struct loupe_unwind_rules *ret) {
    return loupe_cfi_find(memory, tables, place, ret);
}
