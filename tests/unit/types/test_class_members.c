/* Members of classes of C++ from descriptions as gcc and clang write them, whole and damaged. */
#include "check.h"
#include "image/dwarf/class_members.h"
#include "memory/drawn_heap.h"

#include <stdio.h>
#include <string.h>

#define SPAN(text)                                                                                 \
    { .bytes = (text), .length = sizeof(text) - 1 }
#define END "\0\0"

/* Kinds of entries, by number. */
enum { UNIT = 1, NAMESPACE, CLASS, MEMBER, DECLARED, BASE, VIRTUAL_BASE, POINTER, FUNCTION };
static const char abbreviations[] =
    "\1\x11\1" END "\2\x39\1\3\x08" END "\3\x02\1\3\x08\x0b\x0b" END
    "\4\x0d\0\3\x08\x49\x13\x38\x0b" END "\5\x02\0\3\x08\x3c\x19" END "\6\x1c\0\x49\x13\x38\x0b" END
    "\7\x1c\0\x49\x13\x38\x0b\x4c\x0b" END "\x08\x0f\0" END "\x09\x2e\1" END "\0";

static char info[512];
static size_t length;

static void put(unsigned byte) {
    info[length++] = (char)byte;
}

static void put_text(const char *text) {
    memcpy(info + length, text, strlen(text) + 1);
    length += strlen(text) + 1;
}

static void put_type(size_t at) {
    uint32_t offset = (uint32_t)at;
    memcpy(info + length, &offset, sizeof(offset));
    length += sizeof(offset);
}

/* An entry of a kind that has a name; where it begins. */
static size_t put_named(unsigned kind, const char *name) {
    size_t at = length;
    put(kind);
    put_text(name);
    return at;
}

static size_t put_class(const char *name, unsigned size) {
    size_t at = put_named(CLASS, name);
    put(size);
    return at;
}

static void put_member(const char *name, size_t type, unsigned offset) {
    put_named(MEMBER, name);
    put_type(type);
    put(offset);
}

static void put_base(unsigned kind, size_t type, unsigned offset) {
    put(kind);
    put_type(type);
    put(offset);
    if (kind == VIRTUAL_BASE)
        put(1);
}

/* What is in app::Child and app::Table<int>, and a function with a class of its own before them. */
static void write(void) {
    length = 11;
    put(UNIT);
    put(FUNCTION);
    put_class("Child", 8);
    put(0);
    put(0);
    size_t pointer = length;
    put(POINTER);
    size_t shared = put_class("shared_ptr<app::Parent>", 16);
    put_member("_M_ptr", pointer, 0);
    put_member("_M_count", pointer, 8);
    put(0);
    size_t vector = put_class("vector<int, std::allocator<int> >", 24);
    put_member("_M_impl", pointer, 0);
    put(0);
    put_named(NAMESPACE, "app");
    put_named(DECLARED, "Child");
    size_t named = put_class("Named", 16);
    put_member("name", pointer, 8);
    put(0);
    size_t place = put_class("Place", 16);
    put_member("x", pointer, 0);
    put_member("owner", shared, 8);
    put(0);
    put_class("Child", 96);
    put_base(BASE, named, 0);
    put_base(VIRTUAL_BASE, named, 0);
    put_member("parent", shared, 16);
    put_member("tracks", vector, 32);
    put_member("at", place, 56);
    put(0);
    put_class("Table<int>", 8);
    put_member("first", pointer, 0);
    put(0);
    put(0);
    put(0);
    uint32_t rest = (uint32_t)length - 4;
    memcpy(info, &rest, sizeof(rest));
    memcpy(info + 4, "\4\0\0\0\0\0\x08", 7);
}

static char told[512];

static void see(void *ctx, const struct loupe_class_member *member) {
    (void)ctx;
    size_t at = strlen(told);
    snprintf(told + at, sizeof(told) - at, "%u:%u+%u %.*s; ", member->wanted,
             (unsigned)member->offset, (unsigned)member->size, (int)member->name.length,
             member->name.bytes);
}

static enum loupe_status read_all(const struct loupe_chunk_ops *chunks, size_t bytes) {
    static const char *const names[] = {"app::Child", "app::Table< int >", "app::Gone"};
    struct loupe_dwarf_sections sections = {.info = {.bytes = info, .length = bytes},
                                            .abbreviations = SPAN(abbreviations),
                                            .strings = SPAN(""),
                                            .line_strings = SPAN(""),
                                            .string_offsets = SPAN(""),
                                            .addresses = SPAN("")};
    struct loupe_wanted_classes wanted;
    struct loupe_members_missing missing = {.units = 0};
    enum loupe_status status = LOUPE_OK;
    told[0] = '\0';
    uint32_t number;
    loupe_wanted_init(&wanted, chunks);
    for (uint32_t i = 0; !status && i < 3; i++)
        status = loupe_wanted_add(&wanted, loupe_span_of(names[i]), i, &number);
    if (!status)
        status = loupe_class_members_visit(&sections, &wanted, chunks, see, NULL, &missing);
    loupe_wanted_deinit(&wanted);
    return status;
}

static void test_members_of_wanted_classes(void) {
    write();
    CHECK_EQ(read_all(&drawn_chunks, length), LOUPE_OK);
    CHECK_STR(told, "0:8+8 name; 0:16+8 parent; 0:24+8 parent; 0:32+24 tracks (vector); "
                    "0:56+8 at.x; 0:64+8 at.owner; 0:72+8 at.owner; 1:0+8 first; ");
}

/* Of what is cut or has other bytes nothing is told, or less. */
static void test_damaged(void) {
    write();
    char whole[sizeof(info)];
    memcpy(whole, info, sizeof(info));
    for (size_t bytes = 0; bytes < length; bytes++)
        CHECK_EQ(read_all(&drawn_chunks, bytes), LOUPE_OK);
    for (size_t at = 0; at < length; at++) {
        info[at] = (char)(info[at] ^ 0x55);
        CHECK_EQ(read_all(&drawn_chunks, length), LOUPE_OK);
        memcpy(info, whole, sizeof(info));
    }
}

/* A class that is its own member and its own base ends. */
static void test_class_in_itself(void) {
    length = 11;
    put(UNIT);
    put_named(NAMESPACE, "app");
    size_t own = put_class("Child", 8);
    put_base(BASE, own, 0);
    put_member("own", own, 0);
    put(0);
    put(0);
    put(0);
    uint32_t rest = (uint32_t)length - 4;
    memcpy(info, &rest, sizeof(rest));
    memcpy(info + 4, "\4\0\0\0\0\0\x08", 7);
    CHECK_EQ(read_all(&drawn_chunks, length), LOUPE_OK);
}

static void test_no_memory(void) {
    struct drawn_failing_chunks state;
    write();
    enum loupe_status status = LOUPE_ENOMEM;
    for (uint64_t at = 1; status; at++) {
        state = (struct drawn_failing_chunks){.fail_at = at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        status = read_all(&chunks, length);
        CHECK(!status || status == LOUPE_ENOMEM);
        CHECK_EQ(state.outstanding, 0);
    }
}

int main(void) {
    RUN(test_members_of_wanted_classes);
    RUN(test_damaged);
    RUN(test_class_in_itself);
    RUN(test_no_memory);
    return check_report();
}
