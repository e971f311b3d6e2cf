/*
 * Zones of a process of Darwin that are asked themselves, on zones that the test makes: those of
 * the system, those of other allocators, and damaged ones.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include "memory/pages.h"
#include "memory/zones.h"

#include <malloc/malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

mach_port_t mach_task_self_ = 1;

/* ---- A process as Darwin's libmalloc shows it ---- */

enum { MOST = 8, PAGE = 4096 };

static malloc_zone_t zones[MOST + 1];
/* As zones from version 14 on have it. Headers before those of macOS 14 do not declare the type. */
struct typed_introspection {
    malloc_introspection_t functions;
    unsigned zone_type;
};
static struct typed_introspection introspections[MOST + 1];
static vm_address_t listed[MOST];
static unsigned listed_count;
static kern_return_t list_result;
static vm_address_t *list_place;

kern_return_t malloc_get_all_zones(task_t task, memory_reader_t reader, vm_address_t **addresses,
                                   unsigned *count) {
    CHECK_EQ(task, mach_task_self_);
    CHECK(!reader);
    *addresses = list_place;
    *count = listed_count;
    return list_result;
}

static unsigned add_zone(const char *name,
                         kern_return_t (*enumerator)(task_t, void *, unsigned, vm_address_t,
                                                     memory_reader_t, vm_range_recorder_t)) {
    unsigned number = listed_count++;
    introspections[number] = (struct typed_introspection){.functions.enumerator = enumerator};
    zones[number] = (malloc_zone_t){
        .zone_name = name, .introspect = &introspections[number].functions, .version = 16};
    listed[number] = (vm_address_t)&zones[number];
    return number;
}

/* ---- Enumerators ---- */

static void record(vm_range_recorder_t recorder, void *context, unsigned type, vm_range_t *ranges,
                   unsigned count) {
    recorder(mach_task_self_, context, type, ranges, count);
}

static kern_return_t tell_three(task_t task, void *context, unsigned types, vm_address_t zone,
                                memory_reader_t reader, vm_range_recorder_t recorder) {
    vm_range_t two[] = {{0x1000, 16}, {0x2000, 32}}, third = {0x3000, 48},
               regions = {0x1000, 0x8000};
    void *local = NULL;
    CHECK_EQ(task, mach_task_self_);
    CHECK_EQ(types, MALLOC_PTR_IN_USE_RANGE_TYPE);
    CHECK_EQ(reader(task, zone, offsetof(malloc_zone_t, version), &local), KERN_SUCCESS);
    CHECK(local == (void *)zone);
    record(recorder, context, MALLOC_PTR_IN_USE_RANGE_TYPE, two, 2);
    record(recorder, context, 2, &regions, 1); /* nobody asked for these */
    record(recorder, context, MALLOC_PTR_IN_USE_RANGE_TYPE, &third, 1);
    return KERN_SUCCESS;
}

static kern_return_t tell_nothing(task_t task, void *context, unsigned types, vm_address_t zone,
                                  memory_reader_t reader, vm_range_recorder_t recorder) {
    (void)task, (void)context, (void)types, (void)zone, (void)reader, (void)recorder;
    return KERN_SUCCESS;
}

static kern_return_t refuse(task_t task, void *context, unsigned types, vm_address_t zone,
                            memory_reader_t reader, vm_range_recorder_t recorder) {
    (void)task, (void)context, (void)types, (void)zone, (void)reader, (void)recorder;
    return 5;
}

static kern_return_t break_off(task_t task, void *context, unsigned types, vm_address_t zone,
                               memory_reader_t reader, vm_range_recorder_t recorder) {
    (void)tell_three(task, context, types, zone, reader, recorder);
    return 5;
}

/* Its tables lead to nowhere: what Apple's enumerators do when their reader refuses. */
static kern_return_t follow_a_wild_pointer(task_t task, void *context, unsigned types,
                                           vm_address_t zone, memory_reader_t reader,
                                           vm_range_recorder_t recorder) {
    void *local = NULL;
    (void)context, (void)types, (void)zone, (void)recorder;
    CHECK(reader(task, 0x10, 8, &local));
    CHECK(reader(task, UINTPTR_MAX - 7, 64, &local));
    CHECK(reader(task, (vm_address_t)&zones, (vm_size_t)1 << 46, &local));
    return !local ? 5 : KERN_SUCCESS;
}

static kern_return_t tell_nonsense(task_t task, void *context, unsigned types, vm_address_t zone,
                                   memory_reader_t reader, vm_range_recorder_t recorder) {
    vm_range_t ranges[] = {{0, 16}, {UINTPTR_MAX - 8, 64}, {0x5000, 0}};
    (void)task, (void)types, (void)zone, (void)reader;
    record(recorder, context, MALLOC_PTR_IN_USE_RANGE_TYPE, ranges, 3);
    return KERN_SUCCESS;
}

/* ---- Looking ---- */

static char text[4096];
static unsigned stop_after;
static bool has_no_images;

/* The enumerators of this test are of one; a word is not. */
static bool is_in_image(void *ctx, loupe_addr code) {
    extern char __executable_start, etext;
    (void)ctx;
    return !has_no_images && code >= (uintptr_t)&__executable_start && code < (uintptr_t)&etext;
}

static void append(const char *format, const char *name, unsigned long a, unsigned long b) {
    size_t length = strlen(text);
    snprintf(text + length, sizeof(text) - length, format, name, a, b);
}

static enum loupe_status see_zone(void *visitor, const struct loupe_process_zone *zone) {
    (void)visitor;
    append("%.40s%.0lu%.0lu", zone->name, 0, 0);
    append("%s\n%.0lu%.0lu",
           zone->told      ? ""
           : zone->unasked ? " is not asked"
                           : " tells nothing",
           0, 0);
    return LOUPE_OK;
}

static enum loupe_status see_block(void *visitor, loupe_addr start, uint64_t size) {
    (void)visitor;
    append("%s%lx %lu\n", "  ", (unsigned long)start, (unsigned long)size);
    return stop_after && !--stop_after ? LOUPE_ENOMEM : LOUPE_OK;
}

static void begin(void) {
    memset(zones, 0, sizeof(zones));
    memset(introspections, 0, sizeof(introspections));
    listed_count = stop_after = 0;
    list_result = KERN_SUCCESS;
    list_place = listed;
    has_no_images = false;
}

static enum loupe_status look(bool others_run) {
    struct loupe_regions regions;
    struct loupe_chunk_ops chunks = loupe_pages;
    text[0] = '\0';
    if (!CHECK_EQ(loupe_regions_init(&regions, &chunks), LOUPE_OK))
        return LOUPE_EINTERNAL;
    regions.may_change = others_run;
    enum loupe_status status = loupe_zones_visit(
        &(struct loupe_zone_host){.regions = &regions, .is_in_image = is_in_image}, see_zone,
        see_block, NULL);
    loupe_regions_deinit(&regions);
    return status;
}

/* ---- Tests ---- */

static void test_zones_tell_their_blocks(void) {
    begin();
    add_zone("DefaultMallocZone", tell_three);
    add_zone("DefaultPurgeableMallocZone", tell_nothing);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "DefaultMallocZone\n  1000 16\n  2000 32\n  3000 48\n"
                    "DefaultPurgeableMallocZone\n");
}

static void test_those_that_tell_nothing_are_told_as_such(void) {
    begin();
    add_zone("jemalloc_zone", tell_nothing); /* what malloc() takes from is never empty */
    add_zone("asan", refuse);
    add_zone("mine", NULL);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "jemalloc_zone tells nothing\nasan tells nothing\nmine tells nothing\n");
}

static void test_one_that_breaks_off_is_told(void) {
    begin();
    add_zone("first", break_off);
    add_zone("second", tell_three);
    CHECK_EQ(look(false), LOUPE_EFAULT);
    CHECK_STR(text, "first\n  1000 16\n  2000 32\n  3000 48\nsecond\n  1000 16\n  2000 32\n"
                    "  3000 48\n");
}

/* A zone with a type as libmalloc lays it out: 19 words in version 14 (474, macOS 14.0), 20 in 15
 * (521, 14.4), 25 in 16 (646, macOS 15); the zone behind it comes next. */
static union {
    malloc_zone_t zone;
    uintptr_t words[64];
} wrapper;

static struct typed_introspection wrapping = {.functions.enumerator = tell_nothing, .zone_type = 2};

static void list_wrapper(unsigned version, unsigned words, const malloc_zone_t *wrapped) {
    memset(&wrapper, 0, sizeof(wrapper));
    wrapper.zone.zone_name = "ProbGuardMallocZone";
    wrapper.zone.version = version;
    wrapper.zone.introspect = &wrapping.functions;
    for (unsigned i = words; i < 64; i++)
        wrapper.words[i] = (uintptr_t)&zones[MOST]; /* what is no business of ours */
    wrapper.words[words] = (uintptr_t)wrapped;
    listed[0] = (vm_address_t)&wrapper;
}

static void test_a_wrapped_zone_is_asked_once(void) {
    static const unsigned versions[][2] = {{14, 19}, {15, 20}, {16, 25}};
    for (unsigned i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        begin();
        unsigned wrapped = add_zone("DefaultMallocZone", tell_three);
        zones[MOST] =
            (malloc_zone_t){.zone_name = "none", .introspect = &introspections[wrapped].functions};
        list_wrapper(versions[i][0], versions[i][1], &zones[wrapped]);
        CHECK_EQ(look(false), LOUPE_OK);
        CHECK_STR(text, "ProbGuardMallocZone\nDefaultMallocZone\n  1000 16\n  2000 32\n"
                        "  3000 48\n");
        listed[listed_count++] = (vm_address_t)&zones[wrapped];
        listed[listed_count++] = (vm_address_t)&zones[wrapped];
        CHECK_EQ(look(false), LOUPE_OK);
        CHECK_STR(text, "ProbGuardMallocZone\nDefaultMallocZone\n  1000 16\n  2000 32\n"
                        "  3000 48\n");
    }
}

/* libmalloc's zone for small blocks, which is known by the name of the one behind it. */
static void test_one_that_takes_memory_to_tell_is_not_asked(void) {
    begin();
    unsigned nano = add_zone("DefaultMallocZone", tell_three);
    add_zone("MallocHelperZone", tell_three);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "DefaultMallocZone is not asked\n"
                    "MallocHelperZone\n  1000 16\n  2000 32\n  3000 48\n");
    list_wrapper(16, 25, &zones[nano]);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "ProbGuardMallocZone\nDefaultMallocZone is not asked\n"
                    "MallocHelperZone\n  1000 16\n  2000 32\n  3000 48\n");
}

/* Of a later version it is not known where the zone behind it stands: nothing is guessed. */
static void test_a_wrapper_of_a_later_version_is_told(void) {
    begin();
    unsigned wrapped = add_zone("DefaultMallocZone", tell_three);
    list_wrapper(17, 25, &zones[wrapped]);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "ProbGuardMallocZone\nthe zone after ProbGuardMallocZone tells nothing\n");
    list_wrapper(16, 25, (const malloc_zone_t *)0x10);
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "ProbGuardMallocZone\nthe zone after ProbGuardMallocZone tells nothing\n");
}

static void test_only_code_of_images_is_called(void) {
    begin();
    add_zone("DefaultMallocZone", tell_three);
    has_no_images = true;
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "DefaultMallocZone tells nothing\n");
}

/* Zones of old systems end where those of the header go on. */
static void test_a_short_zone_at_the_end_of_memory_is_asked(void) {
    enum { START = offsetof(malloc_zone_t, version) + sizeof(unsigned) };
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(page != MAP_FAILED) || !CHECK(!munmap(page + PAGE, PAGE)))
        return;
    begin();
    unsigned number = add_zone("old", tell_three);
    char *place = page + PAGE - START / 8 * 8 - 8;
    zones[number].version = 8;
    memcpy(place, &zones[number], START);
    listed[number] = (vm_address_t)place;
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "old\n  1000 16\n  2000 32\n  3000 48\n");
    munmap(page, PAGE);
}

static void test_damaged_zones_are_survived(void) {
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    static char long_name[1000];
    memset(long_name, 'x', sizeof(long_name) - 1);
    if (!CHECK(page != MAP_FAILED) || !CHECK(!munmap(page + PAGE, PAGE)))
        return;
    begin();
    memcpy(page + PAGE - 3, "abc", 3); /* and no end */
    zones[add_zone((const char *)0x10, tell_three)].introspect = (malloc_introspection_t *)0x20;
    add_zone(page + PAGE - 3, tell_nonsense);
    add_zone(long_name, follow_a_wild_pointer);
    listed[listed_count++] = 0x30;
    listed[listed_count++] = (vm_address_t)(page + PAGE - 8); /* reaches beyond */
    CHECK_EQ(look(false), LOUPE_OK);
    CHECK_STR(text, "a zone without a name tells nothing\nabc\n  5000 0\n"
                    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx tells nothing\n");
    munmap(page, PAGE);
}

static void test_nobody_is_asked_where_that_cannot_be(void) {
    begin();
    add_zone("DefaultMallocZone", tell_three);
    CHECK_EQ(look(true), LOUPE_EFAULT); /* other threads run */
    list_result = 5;
    CHECK_EQ(look(false), LOUPE_EFAULT);
    list_result = KERN_SUCCESS;
    list_place = (vm_address_t *)0x10;
    CHECK_EQ(look(false), LOUPE_EFAULT);
    list_place = listed;
    listed_count = 1u << 30;
    CHECK_EQ(look(false), LOUPE_EFAULT);
    CHECK_STR(text, "");
}

static void test_what_a_visit_returns_ends_it(void) {
    begin();
    add_zone("DefaultMallocZone", tell_three);
    add_zone("another", tell_three);
    stop_after = 2;
    CHECK_EQ(look(false), LOUPE_ENOMEM);
    CHECK_STR(text, "DefaultMallocZone\n  1000 16\n  2000 32\n");
}

int main(void) {
    RUN(test_zones_tell_their_blocks);
    RUN(test_those_that_tell_nothing_are_told_as_such);
    RUN(test_one_that_breaks_off_is_told);
    RUN(test_a_wrapped_zone_is_asked_once);
    RUN(test_one_that_takes_memory_to_tell_is_not_asked);
    RUN(test_a_wrapper_of_a_later_version_is_told);
    RUN(test_only_code_of_images_is_called);
    RUN(test_a_short_zone_at_the_end_of_memory_is_asked);
    RUN(test_damaged_zones_are_survived);
    RUN(test_nobody_is_asked_where_that_cannot_be);
    RUN(test_what_a_visit_returns_ends_it);
    return check_report();
}
