#include "core/core.h"

enum loupe_status loupe_macho_core_open(struct loupe_reader *reader,
                                        const struct loupe_core_file *file,
                                        struct loupe_error *err) {
    (void)reader;
    (void)file;
    return loupe_fail(err, LOUPE_EUSAGE, 0, "Mach-O cores are not read yet");
}
