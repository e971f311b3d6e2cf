/*
 * The driver of a fuzz target where there is no libFuzzer: runs every seed of a directory, then a
 * number of mutations of them. The mutations depend on nothing but their number, so that a failure
 * comes back.
 *
 *     replay_NAME DIRECTORY MUTATIONS
 */
#define _POSIX_C_SOURCE 200809L /* scandir */
#include "fuzz_target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 512, LONGEST = 4096 };

struct input {
    uint8_t bytes[LONGEST];
    size_t length;
};

static struct input seeds[MOST_SEEDS];
static size_t seed_count;

/* ---- Seeds ---- */

static void read_seed(const char *path) {
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL && seed_count < MOST_SEEDS);
    struct input *seed = &seeds[seed_count++];
    seed->length = fread(seed->bytes, 1, sizeof(seed->bytes), file);
    fclose(file);
}

static int is_seed(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* In the order of their names, whatever the file system's is. */
static void read_seeds(const char *directory) {
    struct dirent **entries;
    int count = scandir(directory, &entries, is_seed, alphasort);
    FUZZ_CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        read_seed(path);
        free(entries[i]);
    }
    free(entries);
}

/* ---- Mutations ---- */

static uint64_t state;

/* Xorshift. A number below bound, which is not 0. */
static size_t pick(size_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % bound);
}

static void change_byte(struct input *input) {
    static const uint8_t telling[] = {0, 1, 7, 8, 0x0f, 0x10, 0x7f, 0x80, 0xff, '0', '9', '_'};
    if (!input->length)
        return;
    uint8_t *byte = &input->bytes[pick(input->length)];
    switch (pick(3)) {
    case 0:
        *byte = (uint8_t)(*byte ^ 1u << pick(8));
        break;
    case 1:
        *byte = telling[pick(sizeof(telling))];
        break;
    default:
        *byte = (uint8_t)pick(256);
    }
}

static void remove_bytes(struct input *input) {
    if (!input->length)
        return;
    size_t start = pick(input->length);
    size_t count = 1 + pick(input->length - start);
    memmove(input->bytes + start, input->bytes + start + count, input->length - start - count);
    input->length -= count;
}

/* Takes a part of any seed in. */
static void insert_bytes(struct input *input) {
    const struct input *other = &seeds[pick(seed_count)];
    if (!other->length)
        return;
    size_t from = pick(other->length);
    size_t count = 1 + pick(other->length - from);
    size_t to = pick(input->length + 1);
    if (count > LONGEST - input->length)
        return;
    memmove(input->bytes + to + count, input->bytes + to, input->length - to);
    memcpy(input->bytes + to, other->bytes + from, count);
    input->length += count;
}

static void mutate(struct input *input) {
    for (size_t changes = 1 + pick(6); changes; changes--) {
        switch (pick(4)) {
        case 0:
            remove_bytes(input);
            break;
        case 1:
            insert_bytes(input);
            break;
        default:
            change_byte(input);
        }
    }
}

/* In memory of its exact size, so that a read beyond its end is seen. */
static void run(const struct input *input) {
    uint8_t *exact = malloc(input->length ? input->length : 1);
    FUZZ_CHECK(exact != NULL);
    memcpy(exact, input->bytes, input->length);
    LLVMFuzzerTestOneInput(exact, input->length);
    free(exact);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s DIRECTORY MUTATIONS\n", argv[0]);
        return 2;
    }
    read_seeds(argv[1]);
    for (size_t i = 0; i < seed_count; i++)
        run(&seeds[i]);
    /* One in so many where the long tests try all (tests/support/check.h). */
    const char *share = getenv("LOUPE_TEST_SHARE");
    unsigned long mutations = strtoul(argv[2], NULL, 10) / (share ? strtoul(share, NULL, 10) : 1);
    for (unsigned long i = 0; i < mutations; i++) {
        static struct input input;
        state = 0x9e3779b97f4a7c15u * (i + 1);
        input = seeds[pick(seed_count)];
        mutate(&input);
        run(&input);
    }
    printf("%zu seeds, %lu mutations\n", seed_count, mutations);
    return 0;
}
