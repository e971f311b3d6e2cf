/*
 * zones.c - malloc's zones as tools see them, by the release that the first argument names: how
 * long their structure is, what they tell of their blocks, and of what malloc_logger is told. With
 * "guarded" as second argument a guarding zone stands before the first one, with "nano" one for
 * small blocks.
 */
#include "system.h"

struct range {
    uintptr_t address, size;
};
typedef int reader(uint32_t task, uintptr_t address, uintptr_t size, void **local);
typedef void recorder(uint32_t task, void *context, unsigned type, struct range *ranges,
                      unsigned count);
struct introspection {
    int (*enumerator)(uint32_t task, void *context, unsigned types, uintptr_t zone, reader *read,
                      recorder *record);
    void *others[15];
    unsigned type;
};
struct zone {
    void *functions[9];
    const char *name;
    void *batch[2];
    struct introspection *introspect;
    unsigned version;
};

extern uint32_t mach_task_self_;
int malloc_get_all_zones(uint32_t task, reader *read, struct zone ***zones, unsigned *count);
struct zone *malloc_create_zone(size_t size, unsigned flags);
void malloc_set_zone_name(struct zone *zone, const char *name);
struct zone *malloc_zone_from_ptr(const void *block);
void *malloc_zone_malloc(struct zone *zone, size_t size);
void malloc_zone_free(struct zone *zone, void *block);
size_t malloc_size(const void *block);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
int mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int posix_memalign(void **ret, size_t alignment, size_t size);

/* ---- Enumerators ---- */

static unsigned reads, found;
static uintptr_t wanted;

static int read_here(uint32_t task, uintptr_t address, uintptr_t size, void **local) {
    (void)task;
    (void)size;
    reads++;
    *local = (void *)address;
    return 0;
}

static int refuse(uint32_t task, uintptr_t address, uintptr_t size, void **local) {
    (void)task, (void)address, (void)size, (void)local;
    return 5;
}

static void look(uint32_t task, void *context, unsigned type, struct range *ranges,
                 unsigned count) {
    (void)task;
    CHECK(context == &found);
    CHECK_EQ(type, 1);
    for (unsigned i = 0; i < count; i++)
        found += ranges[i].address == wanted;
}

static int tells(struct zone *zone, const void *block, reader *read) {
    found = 0;
    wanted = (uintptr_t)block;
    int failed =
        zone->introspect->enumerator(mach_task_self_, &found, 1, (uintptr_t)zone, read, look);
    return failed ? -1 : (int)found;
}

static void check_blocks(struct zone *zone) {
    char *small = malloc(40), *large = malloc(200000), *cleared = calloc(3, 8);
    void *aligned = NULL;
    CHECK_EQ(tells(zone, small, read_here), 1);
    CHECK_EQ(tells(zone, large, read_here), 1);
    CHECK(reads > 0);
    CHECK_EQ(tells(zone, small, refuse), -1);
    CHECK(malloc_size(small) >= 40 && malloc_size(large) >= 200000 && !malloc_size(small + 1));
    CHECK(!cleared[0] && !cleared[23]);
    CHECK_EQ(posix_memalign(&aligned, 256, 10), 0);
    CHECK_EQ((uintptr_t)aligned % 256, 0);
    large = realloc(large, 300000);
    CHECK_EQ(tells(zone, large, read_here), 1);
    free(small);
    CHECK_EQ(tells(zone, small, read_here), 0);
    free(large), free(cleared), free(aligned);
}

static void check_other_zone(void) {
    struct zone **all;
    unsigned count, before;
    CHECK_EQ(malloc_get_all_zones(mach_task_self_, NULL, &all, &before), 0);
    struct zone *zone = malloc_create_zone(0, 0);
    malloc_set_zone_name(zone, "other");
    void *block = malloc_zone_malloc(zone, 10);
    CHECK(malloc_zone_from_ptr(block) == zone);
    CHECK_EQ(tells(zone, block, read_here), 1);
    CHECK_EQ(malloc_get_all_zones(mach_task_self_, NULL, &all, &count), 0);
    CHECK(count == before + 1 && all[before] == zone && all[0] != zone);
    free(block);
    CHECK_EQ(tells(zone, block, read_here), 0);
}

/* ---- What is logged ---- */

typedef void logger(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                    uintptr_t result, uint32_t skipped);
extern logger *malloc_logger;

static struct logged {
    uint32_t type;
    uintptr_t second, third, result;
} last;

static void note(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third, uintptr_t result,
                 uint32_t skipped) {
    (void)skipped;
    CHECK(zone);
    last = (struct logged){type, second, third, result};
}

static void check_logger(void) {
    malloc_logger = note;
    void *block = malloc(24);
    CHECK(last.type == (2 | 8) && last.second == 24 && last.result == (uintptr_t)block);
    void *moved = realloc(block, 4000);
    CHECK(last.type == (2 | 4 | 8) && last.second == (uintptr_t)block && last.third == 4000 &&
          last.result == (uintptr_t)moved);
    free(moved);
    CHECK(last.type == (4 | 8) && last.second == (uintptr_t)moved && !last.result);
    free(calloc(1, 8));
    malloc_logger = NULL;
    free(malloc(1));
    CHECK(last.type == (4 | 8));
}

/* ---- The guarding zone ---- */

static void check_guarded(struct zone *zone, unsigned words) {
    struct zone *wrapped = ((struct zone **)(void *)zone)[words];
    unsigned guarded = 0;
    CHECK_EQ(zone->introspect->type, 2);
    CHECK(wrapped && strcmp(wrapped->name, "DefaultMallocZone") == 0);
    for (int i = 0; i < 300; i++) {
        void *block = malloc(64);
        bool own = tells(zone, block, read_here) == 1;
        CHECK_EQ(own + tells(wrapped, block, read_here), 1);
        guarded += own;
        if (i % 2)
            free(block);
    }
    CHECK(guarded >= 2 && guarded < 10);
}

/* ---- The zone for small blocks ---- */

/* As nanov2_zone.h of libmalloc-792 has it. */
enum { COOKIE = 28680, FREE_COOKIE = 28696, BEHIND = 28704, FIRST_REGION = 28720, NEXT = 28728 };
enum { BLOCK = 16384, ARENA = 64 << 20, REGION = 512 << 20, SLOTS_OF_240 = BLOCK / 240 };

static uint64_t word_at(const struct zone *zone, unsigned offset) {
    return *(const uint64_t *)(const void *)((const char *)zone + offset);
}

static uint64_t start_of(const void *address, uint64_t size) {
    return (uint64_t)(uintptr_t)address & ~(size - 1);
}

static void check_sizes(struct zone *nano, struct zone *behind) {
    char *small = malloc(240), *large = malloc(257), *neighbour = malloc(240);
    CHECK_EQ((uintptr_t)small >> 44, 6);
    CHECK_EQ((uintptr_t)large >> 44 == 6, 0);
    CHECK_EQ(malloc_size(small), 240);
    CHECK_EQ(malloc_size(small + 16), 0);
    CHECK_EQ(neighbour - small, 240);
    CHECK(malloc_zone_from_ptr(small) == nano && malloc_zone_from_ptr(large) == nano);
    CHECK_EQ(tells(nano, small, read_here) + tells(behind, small, read_here), 1);
    CHECK_EQ(tells(nano, large, read_here), 0);
    CHECK_EQ(tells(behind, large, read_here), 1);
    CHECK_EQ(tells(nano, small, refuse), -1);
    free(small), free(large), free(neighbour);
}

/* Cleared, but for a guard and the number of the next one. */
static void check_free_slots(struct zone *nano) {
    uint64_t *first = malloc(48), *second = malloc(48), *third = malloc(48);
    first[5] = second[5] = 7;
    free(first);
    free(second);
    CHECK_EQ(first[0], word_at(nano, FREE_COOKIE) ^ (uintptr_t)first);
    CHECK_EQ(second[1], start_of(first, 16) % BLOCK / 48 + 1);
    CHECK(!first[5] && !second[5]);
    CHECK_EQ(malloc_size(first), 0);
    CHECK_EQ(tells(nano, first, read_here), 0);
    CHECK_EQ(tells(nano, third, read_here), 1);
    uint64_t *again = malloc(33);
    CHECK(again == second && !again[0] && !again[1]);
    free(again), free(third);
}

/* What tells of this process takes memory of the zone behind for each block with a list. */
static unsigned taken;
static void *(*taking)(struct zone *zone, size_t count, size_t size);

static void *take(struct zone *zone, size_t count, size_t size) {
    taken++;
    return taking(zone, count, size);
}

static void check_that_telling_takes_memory(struct zone *nano, struct zone *behind) {
    void **calloc_of_zone = (void **)(void *)behind + 4;
    void *one = malloc(64), *other = malloc(64);
    free(one);
    taking = (void *(*)(struct zone *, size_t, size_t))(uintptr_t)*calloc_of_zone;
    *calloc_of_zone = (void *)(uintptr_t)take;
    CHECK_EQ(tells(nano, other, read_here), 1);
    *calloc_of_zone = (void *)(uintptr_t)taking;
    CHECK(taken > 0);
    free(other);
}

/* Blocks of 240 bytes have 64 of an arena's 4,096 blocks. Behind the last arena of a region comes
 * the next one, here one farther, because the place is taken. */
static void check_regions(struct zone *nano) {
    enum { OF_ARENA = 64 * SLOTS_OF_240, COUNT = 8 * OF_ARENA + 1 };
    static char *blocks[COUNT];
    uint64_t second = word_at(nano, FIRST_REGION) + REGION, obstacle = second;
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &obstacle, BLOCK, 0), 0);
    for (int i = 0; i < COUNT; i++)
        blocks[i] = malloc(240);
    CHECK_EQ(start_of(blocks[0], ARENA), word_at(nano, FIRST_REGION));
    CHECK_EQ(start_of(blocks[COUNT - 1], ARENA), second + REGION);
    CHECK_EQ(word_at(nano, NEXT), second + REGION + ARENA);
    CHECK_EQ(tells(nano, blocks[0], read_here), 1);
    CHECK_EQ(tells(nano, blocks[COUNT - 1], read_here), 1);
    CHECK_EQ(malloc_size(blocks[COUNT - 1]), 240);
    for (int i = 0; i < COUNT; i++)
        free(blocks[i]);
    CHECK_EQ(tells(nano, blocks[COUNT - 1], read_here), 0);
}

static void check_nano(struct zone **zones) {
    struct zone *nano = zones[0], *behind = zones[1];
    CHECK(strcmp(nano->name, "DefaultMallocZone") == 0);
    CHECK(strcmp(behind->name, "MallocHelperZone") == 0);
    CHECK_EQ(nano->introspect->type, 0);
    CHECK_EQ(word_at(nano, COOKIE + 8), word_at(nano, COOKIE) * BLOCK);
    CHECK_EQ(word_at(nano, BEHIND), (uintptr_t)behind);
    check_sizes(nano, behind);
    check_free_slots(nano);
    check_that_telling_takes_memory(nano, behind);
    check_regions(nano);
}

int main(int count, char **arguments) {
    bool is_nano = count > 2 && strcmp(arguments[2], "nano") == 0;
    bool is_474 = count > 1 && strcmp(arguments[1], "474") == 0,
         is_521 = count > 1 && strcmp(arguments[1], "521") == 0;
    unsigned zones_count;
    struct zone **zones;
    CHECK_EQ(malloc_get_all_zones(mach_task_self_, NULL, &zones, &zones_count), 0);
    CHECK_EQ(zones_count, is_nano ? 2 : 1);
    CHECK_EQ(zones[0]->version, is_474 ? 14 : is_521 ? 15 : 16);
    if (is_nano)
        check_nano(zones);
    else if (count > 2)
        check_guarded(zones[0], is_474 ? 19 : is_521 ? 20 : 25);
    else
        check_blocks(zones[0]);
    check_other_zone();
    check_logger();
    return checks_result();
}
