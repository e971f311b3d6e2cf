/* loupe ivar-lines FILE...: where the ivars of a program or a library are declared, for the
 * commands in LLDB, whose API does not tell. Lines as names.h has them. */
#include "shared/cli.h"
#include "heaps/heap_verb.h"

#include "target/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_word(struct loupe_span word) {
    for (size_t i = 0; i < word.length; i++)
        putchar((unsigned char)word.bytes[i] < ' ' ? '?' : word.bytes[i]);
}

static void put_line(void *ctx, const struct loupe_ivar_line *ivar) {
    (void)ctx;
    printf("ivar\t");
    put_word(ivar->class_name);
    putchar('.');
    put_word(ivar->name);
    printf("\t%" PRIu32 "\t", ivar->line);
    put_word(loupe_span_of(ivar->path));
    putchar('\n');
}

/* The first file that tells of some is enough: the others are its debug information elsewhere. */
int cli_ivar_lines(const char **files, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(files[i], "--timeout") == 0) {
            if (i + 1 < count)
                alarm((unsigned)strtoul(files[i + 1], NULL, 10) + 1);
            count = i;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t told = 0;
        if (loupe_file_visit_ivar_lines(files[i], &heap_chunks, put_line, NULL, &told))
            return CLI_FAILURE;
        if (told)
            break;
    }
    return fflush(stdout) ? CLI_FAILURE : CLI_OK;
}
