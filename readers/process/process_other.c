/* Where processes cannot be read without a debugger. */
#include "target/reader.h"

enum loupe_status loupe_process_open(uint64_t process, const struct loupe_reader_options *options,
                                     struct loupe_reader **ret, struct loupe_error *err) {
    (void)options;
    (void)ret;
    return loupe_fail(
        err, LOUPE_EUSAGE, 0,
        "process %llu cannot be read: running processes are read on Linux alone; take "
        "a core of it, or ask in lldb",
        (unsigned long long)process);
}

bool loupe_process_has_ended(uint64_t process) {
    (void)process;
    return false;
}
