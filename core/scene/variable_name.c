/* Debug information says more, where a debugger reads it: it has the variable's own name. */
#include "scene/variable_name.h"

#include "base/text.h"

#include <string.h>

static bool is_mark_of_linker(const char *symbol) {
    static const char *const marks[] = {
        "__bss_start",          "_edata",       "edata",       "_end",         "end",
        "data_start",           "__data_start", "__TMC_END__", "__dso_handle", "_DYNAMIC",
        "_GLOBAL_OFFSET_TABLE_"};
    for (unsigned i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (strcmp(symbol, marks[i]) == 0)
            return true;
    return false;
}

bool loupe_variable_name(const struct loupe_memory *memory, loupe_addr address,
                         char dst[static LOUPE_VARIABLE_NAME_SIZE]) {
    uint64_t offset = 0;
    if (!loupe_memory_name_address(memory, address, dst, LOUPE_VARIABLE_NAME_SIZE, &offset) ||
        is_mark_of_linker(dst))
        return false;
    size_t length = strlen(dst);
    if (offset)
        loupe_format(dst + length, LOUPE_VARIABLE_NAME_SIZE - length, "+0x%llx",
                     (unsigned long long)offset);
    return true;
}
