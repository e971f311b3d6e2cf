#include "names.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

struct capture_name {
    loupe_addr function;
    uint32_t offset;
    const char *name;
};

static struct block_name *blocks;
static struct capture_name *captures;
static size_t block_count, capture_count;

enum { MOST_BYTES = 1 << 26, MOST_WORDS = 5 };

/* Cuts a line at its tabs. Returns how many words there are; more than fit count as one more. */
static unsigned cut(char *line, char **words) {
    unsigned count = 0;
    for (char *next = line; next && count <= MOST_WORDS; count++) {
        char *word = next;
        next = strchr(next, '\t');
        if (next)
            *next++ = '\0';
        if (count < MOST_WORDS)
            words[count] = word;
    }
    return count;
}

static bool take_line(char *line) {
    char *words[MOST_WORDS];
    unsigned count = cut(line, words);
    uint64_t function, number;
    bool is_block = count == 5 && strcmp(words[0], "block") == 0;
    bool is_capture = count == 4 && strcmp(words[0], "capture") == 0;
    if (!is_block && !is_capture)
        return false;
    if (!cli_parse_number(words[1], UINT64_MAX, &function) ||
        !cli_parse_number(words[2], UINT32_MAX, &number))
        return false;
    if (is_block)
        blocks[block_count++] = (struct block_name){
            .function = function, .name = words[3], .file = words[4], .line = (uint32_t)number};
    else
        captures[capture_count++] = (struct capture_name){
            .function = function, .offset = (uint32_t)number, .name = words[3]};
    return true;
}

static int compare_blocks(const void *a, const void *b) {
    const struct block_name *x = a, *y = b;
    return (x->function > y->function) - (x->function < y->function);
}

static int compare_captures(const void *a, const void *b) {
    const struct capture_name *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

const char *names_take(char *text) {
    size_t lines = 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    free(blocks);
    free(captures);
    block_count = capture_count = 0;
    blocks = calloc(lines, sizeof(*blocks));
    captures = calloc(lines, sizeof(*captures));
    if (!blocks || !captures)
        return "not enough memory";
    for (char *line = text; line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (*line && !take_line(line))
            return "a line of it is no name";
        line = next;
    }
    qsort(blocks, block_count, sizeof(*blocks), compare_blocks);
    qsort(captures, capture_count, sizeof(*captures), compare_captures);
    return NULL;
}

const char *names_read(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST_BYTES + 1) : NULL;
    size_t length = text ? fread(text, 1, MOST_BYTES + 1, file) : 0;
    bool failed = !file || ferror(file);
    if (file)
        fclose(file);
    if (failed || !text)
        return failed ? "it cannot be read" : "not enough memory";
    if (length > MOST_BYTES || memchr(text, 0, length))
        return length > MOST_BYTES ? "it is larger than 64 MB" : "it has zeros in it";
    text[length] = '\0';
    char *kept = realloc(text, length + 1);
    return names_take(kept ? kept : text);
}

const struct block_name *names_of_block(loupe_addr function) {
    struct block_name key = {.function = function};
    return block_count ? bsearch(&key, blocks, block_count, sizeof(*blocks), compare_blocks) : NULL;
}

const char *names_of_capture(loupe_addr function, uint32_t offset) {
    struct capture_name key = {.function = function, .offset = offset};
    const struct capture_name *found =
        capture_count ? bsearch(&key, captures, capture_count, sizeof(*captures), compare_captures)
                      : NULL;
    return found ? found->name : NULL;
}
