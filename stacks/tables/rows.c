#include "tables/rows.h"

#include <stdatomic.h>

/* ---- Rules as rows ---- */

static const uint8_t x86_64_registers[] = {3, 6, 12, 13, 14, 15};
static const uint8_t arm64_registers[] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};

const uint8_t *loupe_row_registers(const struct loupe_frame_machine *machine, unsigned *count_ret) {
    bool is_arm64 = machine->link != UINT8_MAX;
    *count_ret = is_arm64 ? sizeof(arm64_registers) : sizeof(x86_64_registers);
    return is_arm64 ? arm64_registers : x86_64_registers;
}

/* Whether the rule fits one byte: the value is kept, or saved a few words from the frame's address.
 */
static bool fits(const struct loupe_restore *rule, int8_t *ret) {
    enum { WORD = 8 };
    *ret = 0;
    if (rule->kind == LOUPE_RESTORE_NONE || rule->kind == LOUPE_RESTORE_SAME)
        return true;
    if (rule->kind != LOUPE_RESTORE_AT || rule->value % WORD || !rule->value ||
        rule->value / WORD > INT8_MAX || rule->value / WORD < INT8_MIN)
        return false;
    *ret = (int8_t)(rule->value / WORD);
    return true;
}

struct loupe_row loupe_row_of(const struct loupe_frame_machine *machine,
                              const struct loupe_unwind_rules *rules) {
    const struct loupe_row other = {.kind = LOUPE_ROW_OTHER};
    struct loupe_row row = {
        .kind = LOUPE_ROW_USUAL, .base = rules->frame.base, .offset = (int32_t)rules->frame.value};
    const struct loupe_restore *return_rule = &rules->registers[rules->return_address];
    if (return_rule->kind == LOUPE_RESTORE_UNDEFINED)
        return (struct loupe_row){.kind = LOUPE_ROW_OUTERMOST};
    bool is_usual =
        !rules->frame.is_expression && !rules->is_signal_frame &&
        row.offset == rules->frame.value && fits(return_rule, &row.return_address) &&
        rules->return_address == (machine->link == UINT8_MAX ? machine->pc : machine->link) &&
        (row.return_address || machine->link != UINT8_MAX) &&
        rules->registers[machine->sp].kind == LOUPE_RESTORE_NONE;
    unsigned count;
    const uint8_t *registers = loupe_row_registers(machine, &count);
    for (unsigned i = 0; i < count && is_usual; i++)
        is_usual = fits(&rules->registers[registers[i]], &row.saved[i]);
    return is_usual ? row : other;
}

/* ---- The cache ---- */

enum { SETS = 4096, WAYS = 2, WORDS = 3 };

struct cached_row {
    _Atomic(uint64_t) words[WORDS];
    _Atomic(uint64_t) check; /* of the words, the place and the generation */
};

static struct cached_row cached_rows[SETS][WAYS];
static _Atomic(uint64_t) generation = 1;

_Static_assert(sizeof(struct loupe_row) <= WORDS * sizeof(uint64_t), "a row fits its words");

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t check_of(loupe_addr place, const uint64_t words[WORDS]) {
    uint64_t hash = mixed(atomic_load_explicit(&generation, memory_order_relaxed), place);
    for (unsigned i = 0; i < WORDS; i++)
        hash = mixed(hash, words[i]);
    return hash;
}

static struct cached_row *set_of(loupe_addr place) {
    return cached_rows[place * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

bool loupe_row_recall(loupe_addr place, struct loupe_row *ret) {
    struct cached_row *set = set_of(place);
    /* Cap: a cache. */
    for (unsigned way = 0; way < WAYS; way++) {
        uint64_t words[WORDS];
        for (unsigned i = 0; i < WORDS; i++)
            words[i] = atomic_load_explicit(&set[way].words[i], memory_order_relaxed);
        if (atomic_load_explicit(&set[way].check, memory_order_relaxed) == check_of(place, words)) {
            memcpy(ret, words, sizeof(*ret));
            return true;
        }
    }
    return false;
}

/* The row that was there first moves to the second way. */
void loupe_row_remember(loupe_addr place, const struct loupe_row *row) {
    struct cached_row *set = set_of(place);
    uint64_t words[WORDS] = {0};
    memcpy(words, row, sizeof(*row));
    for (unsigned i = 0; i < WORDS; i++) {
        uint64_t first = atomic_load_explicit(&set[0].words[i], memory_order_relaxed);
        atomic_store_explicit(&set[1].words[i], first, memory_order_relaxed);
        atomic_store_explicit(&set[0].words[i], words[i], memory_order_relaxed);
    }
    uint64_t first = atomic_load_explicit(&set[0].check, memory_order_relaxed);
    atomic_store_explicit(&set[1].check, first, memory_order_relaxed);
    atomic_store_explicit(&set[0].check, check_of(place, words), memory_order_relaxed);
}

void loupe_rows_forget(void) {
    atomic_fetch_add(&generation, 1);
}

uint64_t loupe_rows_generation(void) {
    return atomic_load_explicit(&generation, memory_order_relaxed);
}
