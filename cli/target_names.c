/* Where the functions of blocks were written, of a target that is read without a debugger. */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */

#include "heap_target.h"
#include "names.h"
#include "snapshot/native.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 2048 };

/* "-[Cell load]" of "__12-[Cell load]_block_invoke_2", which is what clang calls a block in it. */
static struct loupe_span function_around(const char *symbol) {
    static const char suffix[] = "_block_invoke";
    const char *end = strstr(symbol, suffix);
    if (!end || strncmp(symbol, "__", 2) != 0)
        return (struct loupe_span){.bytes = ""};
    const char *start = symbol + 2;
    const char *behind_number = start + strspn(start, "0123456789");
    if (*behind_number == '-' || *behind_number == '+')
        start = behind_number;
    return (struct loupe_span){.bytes = start, .length = (size_t)(end - start)};
}

/* A tab or the end of a line in a name would end it. */
static void put_word(FILE *to, struct loupe_span word) {
    for (size_t i = 0; i < word.length; i++)
        putc((unsigned char)word.bytes[i] < ' ' ? '?' : word.bytes[i], to);
}

static void put_block(FILE *to, const struct loupe_memory *memory, loupe_addr function) {
    char symbol[TEXT_SIZE], path[TEXT_SIZE];
    uint64_t offset = 0;
    uint32_t line;
    if (!loupe_memory_line_of_address(memory, function, path, sizeof(path), &line))
        return;
    bool named = loupe_memory_name_address(memory, function, symbol, sizeof(symbol), &offset);
    fprintf(to, "block\t0x%" PRIx64 "\t%" PRIu32 "\t", function, line);
    put_word(to, named && !offset ? function_around(symbol) : (struct loupe_span){.bytes = ""});
    putc('\t', to);
    put_word(to, loupe_span_of(path));
    putc('\n', to);
}

const char *heap_target_name_blocks(const struct heap_file *file) {
    const struct loupe_snapshot *snapshot = &file->snapshot;
    const struct loupe_memory *memory = loupe_reader_memory(file->reader);
    char *text = NULL;
    size_t length = 0;
    FILE *to = snapshot->native ? open_memstream(&text, &length) : NULL;
    if (!to)
        return snapshot->native ? "not enough memory" : NULL;
    for (uint32_t i = 0; i < snapshot->class_count; i++)
        if (snapshot->class_table[i].kind == LOUPE_CLASS_BLOCKS &&
            snapshot->native->class_places[i])
            put_block(to, memory, snapshot->native->class_places[i]);
    bool failed = ferror(to);
    return fclose(to) || failed ? "not enough memory" : names_take(text);
}
