#include "naive.h"

#include "base/map.h"
#include "memory/pages.h"

#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/* Words of a node that refer to something (next, other, handler), of a block, of a variable. */
enum kind { NODE, BLOCK, VARIABLE };
enum { NEEDED_WORDS = 8 };
static const uint8_t words_of[][NEEDED_WORDS] = {
    [NODE] = {1, 2, 3}, [BLOCK] = {4, 5, 6}, [VARIABLE] = {5}};

static uint64_t read_own_word(void *ctx, uint64_t address) {
    (void)ctx;
    uint64_t word = 0;
    struct iovec to = {&word, sizeof(word)}, from = {(void *)(uintptr_t)address, sizeof(word)};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof(word) ? word : 0;
}

const struct naive_reader naive_own_memory = {read_own_word, NULL};

static uint64_t read_word(const struct naive_reader *reader, uint64_t address) {
    return reader->read_word(reader->ctx, address);
}

static enum kind kind_of(enum kind from, unsigned word) {
    if (from == NODE)
        return word == 3 ? BLOCK : NODE;
    return from == BLOCK && word == 6 ? VARIABLE : NODE;
}

/* Blocks that captured no variable are shorter: their size is in the descriptor. */
static bool is_there(const struct naive_reader *reader, uint64_t object, enum kind kind,
                     unsigned word) {
    if (kind != BLOCK || word < 6)
        return true;
    return read_word(reader, read_word(reader, object + 24) + 8) > word * 8;
}

double naive_walk(const struct naive_reader *reader, uint64_t seed, size_t limit,
                  size_t *objects_ret) {
    double start = bench_milliseconds();
    struct loupe_map seen;
    size_t count = 1, walked = 0, capacity = 1 << 24;
    struct found {
        uint64_t object;
        enum kind kind;
    } *found = loupe_pages_map(capacity * sizeof(*found));
    loupe_map_init(&seen, &loupe_pages);
    found[0] = (struct found){seed, NODE};
    loupe_map_put(&seen, found[0].object, 0);
    while (walked < count && walked < limit) {
        struct found from = found[walked++];
        read_word(reader, from.object); /* the isa, to know what it is */
        for (const uint8_t *word = words_of[from.kind]; *word; word++) {
            uint32_t ignored;
            uint64_t to = is_there(reader, from.object, from.kind, *word)
                              ? read_word(reader, from.object + *word * 8u)
                              : 0;
            if (!to || loupe_map_find(&seen, to, &ignored) || count == capacity)
                continue;
            loupe_map_put(&seen, to, 0);
            found[count++] = (struct found){to, kind_of(from.kind, *word)};
        }
    }
    *objects_ret = walked;
    loupe_map_deinit(&seen);
    loupe_pages_unmap(found, capacity * sizeof(*found));
    loupe_pages_reclaim();
    return bench_milliseconds() - start;
}
