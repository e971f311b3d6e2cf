#include "names.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

struct capture_name {
    loupe_addr function;
    uint32_t offset;
    const char *name;
};

struct thread_name {
    uint64_t id;
    const char *name;
};

static struct block_name *blocks;
static struct capture_name *captures;
static struct place_name *places;
static struct thread_name *threads;
static size_t block_count, capture_count, place_count, thread_count;

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

static bool take_function(char **words, unsigned count, bool is_block) {
    uint64_t function, number;
    if (count != (is_block ? 5 : 4) || !cli_parse_number(words[1], UINT64_MAX, &function) ||
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

static bool take_root(char **words, unsigned count, bool is_place) {
    uint64_t number;
    if (count != (is_place ? 4 : 3) || !cli_parse_number(words[1], UINT64_MAX, &number))
        return false;
    if (is_place)
        places[place_count++] =
            (struct place_name){.slot = number, .name = words[2], .where = words[3]};
    else
        threads[thread_count++] = (struct thread_name){.id = number, .name = words[2]};
    return true;
}

static bool take_line(char *line) {
    char *words[MOST_WORDS];
    unsigned count = cut(line, words);
    bool is_block = strcmp(words[0], "block") == 0, is_place = strcmp(words[0], "root") == 0;
    if (is_block || strcmp(words[0], "capture") == 0)
        return take_function(words, count, is_block);
    return (is_place || strcmp(words[0], "thread") == 0) && take_root(words, count, is_place);
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

static int compare_places(const void *a, const void *b) {
    const struct place_name *x = a, *y = b;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static int compare_threads(const void *a, const void *b) {
    const struct thread_name *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void forget(void) {
    free(blocks);
    free(captures);
    free(places);
    free(threads);
    block_count = capture_count = place_count = thread_count = 0;
}

/* For so many lines, of whichever kind they are. */
static bool make_room(size_t lines) {
    blocks = calloc(lines, sizeof(*blocks));
    captures = calloc(lines, sizeof(*captures));
    places = calloc(lines, sizeof(*places));
    threads = calloc(lines, sizeof(*threads));
    return blocks && captures && places && threads;
}

const char *names_take(char *text) {
    size_t lines = 1;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    forget();
    if (!make_room(lines))
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
    qsort(places, place_count, sizeof(*places), compare_places);
    qsort(threads, thread_count, sizeof(*threads), compare_threads);
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

const struct place_name *names_of_place(loupe_addr slot) {
    struct place_name key = {.slot = slot};
    return place_count ? bsearch(&key, places, place_count, sizeof(*places), compare_places) : NULL;
}

const char *names_of_variable(loupe_addr slot) {
    const struct place_name *place = names_of_place(slot);
    return place ? place->name : NULL;
}

const char *names_of_thread(uint64_t id) {
    struct thread_name key = {.id = id};
    const struct thread_name *found =
        thread_count ? bsearch(&key, threads, thread_count, sizeof(*threads), compare_threads)
                     : NULL;
    return found ? found->name : NULL;
}
