/* Classes of C++ by vtables: drawn as the Itanium C++ ABI (2.5.2, 2.9.5) lays them out. */
#include "check.h"
#include "cxx/vtable.h"
#include "memory/drawn_heap.h"

static struct drawn_heap heap;
static uint8_t word;
static loupe_addr roots, singles, severals; /* vtables of the typeinfos' own classes */

static loupe_addr put_words(unsigned count, const uint64_t *words) {
    loupe_addr start = drawn_alloc(&heap, count * word);
    for (unsigned i = 0; i < count; i++)
        drawn_put_word(&heap, start + (loupe_addr)i * word, words[i]);
    return start;
}

/* Behind the two words that every vtable begins with. */
static loupe_addr put_vtable(uint64_t to_top, loupe_addr typeinfo) {
    const uint64_t words[] = {to_top, typeinfo, 0x5000, 0x5010};
    return put_words(4, words) + 2 * word;
}

static loupe_addr put_root(const char *name) {
    const uint64_t words[] = {roots, drawn_string(&heap, name)};
    return put_words(2, words);
}

static loupe_addr put_single(const char *name, loupe_addr base) {
    const uint64_t words[] = {singles, drawn_string(&heap, name), base};
    return put_words(3, words);
}

/* The typeinfos of a class of typeinfos: it is one itself, of a single base. */
static loupe_addr put_kind(const char *name) {
    const uint64_t words[] = {0x4242, drawn_string(&heap, name)};
    return put_vtable(0, put_words(2, words));
}

static void open_heap(uint8_t pointer_size) {
    word = pointer_size;
    drawn_heap_init(&heap, pointer_size);
    roots = put_kind("N10__cxxabiv117__class_type_infoE");
    singles = put_kind("N10__cxxabiv120__si_class_type_infoE");
    severals = put_kind("N10__cxxabiv121__vmi_class_type_infoE");
}

static struct loupe_typeinfo found;
static loupe_addr base;

static bool look(uint64_t vtable) {
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_typeinfo_kinds kinds = {.count = 0};
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    bool is_one = loupe_vtable_at(&target, &kinds, vtable, &found);
    base = is_one ? loupe_typeinfo_base(&target, &found) : 0;
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return is_one;
}

static void test_classes_and_their_bases(void) {
    for (uint8_t size = 4; size <= 8; size += 4) {
        open_heap(size);
        loupe_addr session = put_root("7Session"), special = put_single("7Special", session);
        CHECK(look(put_vtable(0, session)));
        CHECK_STR(found.name, "7Session");
        CHECK_EQ(base, 0);
        CHECK(look(put_vtable(0, special)));
        CHECK_STR(found.name, "7Special");
        CHECK_EQ(base, session);
        drawn_heap_deinit(&heap);
    }
}

/* flags and count, then for each its typeinfo and where it stands: bit 0 virtual, bit 1 public. */
static void test_first_of_several_bases_is_at_the_start(void) {
    open_heap(8);
    loupe_addr left = put_root("4Left"), right = put_root("5Right");
    const uint64_t words[] = {
        severals, drawn_string(&heap, "4Both"), 2ull << 32, left, 16 << 8 | 2, right, 0 << 8 | 2};
    CHECK(look(put_vtable(0, put_words(7, words))));
    CHECK_STR(found.name, "4Both");
    CHECK_EQ(base, right);
    const uint64_t virtually[] = {severals, drawn_string(&heap, "7Diamond"), 1ull << 32, left,
                                  (uint64_t)-24 << 8 | 3};
    CHECK(look(put_vtable(0, put_words(5, virtually))));
    CHECK_EQ(base, left);
    drawn_heap_deinit(&heap);
}

static void test_name_of_one_file_loses_its_star(void) {
    open_heap(8);
    CHECK(look(put_vtable(0, put_root("*N12_GLOBAL__N_14AnonE"))));
    CHECK_STR(found.name, "N12_GLOBAL__N_14AnonE");
    drawn_heap_deinit(&heap);
}

/* Bit 63 of the name's address on arm64 Darwin: the type has more names than this one. */
static void test_name_need_not_be_unique(void) {
    open_heap(8);
    loupe_addr typeinfo = put_root("7Session"), vtable = put_vtable(0, typeinfo);
    drawn_put_word(&heap, typeinfo + 8, drawn_string(&heap, "7Session") | UINT64_C(1) << 63);
    CHECK(look(vtable));
    CHECK_STR(found.name, "7Session");
    drawn_heap_deinit(&heap);
}

static void test_signed_pointers(void) {
    open_heap(8);
    heap.address_mask = 0x7fffffffff;
    const uint64_t signature = UINT64_C(0x2a5) << 48;
    loupe_addr typeinfo = put_root("7Session"), vtable = put_vtable(0, typeinfo | signature);
    drawn_put_word(&heap, typeinfo, roots | signature);
    CHECK(look(vtable | signature));
    CHECK_STR(found.name, "7Session");
    drawn_heap_deinit(&heap);
}

static void test_without_typeinfo_the_symbol_tells(void) {
    open_heap(8);
    loupe_addr vtable = put_vtable(0, 0);
    CHECK(!look(vtable));
    drawn_symbol_add(&heap, "_ZTV7Session", vtable - 16);
    CHECK(look(vtable));
    CHECK_STR(found.name, "7Session");
    loupe_addr other = put_vtable(0, 0);
    drawn_symbol_add(&heap, "session_table", other - 16);
    CHECK(!look(other));
    drawn_heap_deinit(&heap);
}

static void test_other_words_are_none(void) {
    open_heap(8);
    loupe_addr session = put_root("7Session"), vtable = put_vtable(0, session);
    CHECK(look(vtable));
    CHECK(!look(0));
    CHECK(!look(8));
    CHECK(!look(vtable + 4));
    CHECK(!look(vtable + 8));
    CHECK(!look(UINT64_C(0x7fff00000000)));
    CHECK(!look(put_vtable((uint64_t)-16, session))); /* that of a second base */
    CHECK(!look(put_vtable(0, session + 4)));
    CHECK(!look(put_vtable(0, vtable)));
    CHECK(!look(put_vtable(0, put_root("two words"))));
    CHECK(!look(put_vtable(0, put_root(""))));
    const uint64_t strange[] = {put_kind("9SomeClass"), drawn_string(&heap, "7Session")};
    CHECK(!look(put_vtable(0, put_words(2, strange))));
    drawn_heap_deinit(&heap);
}

static void test_hostile_typeinfo_ends(void) {
    open_heap(8);
    const uint64_t own[] = {0, drawn_string(&heap, "4Self")};
    loupe_addr typeinfo = put_words(2, own), vtable = put_vtable(0, typeinfo);
    drawn_put_word(&heap, typeinfo, vtable); /* an object of its own class */
    CHECK(!look(vtable));
    char endless[LOUPE_MAX_TYPE_NAME + 2];
    for (unsigned i = 0; i + 1 < sizeof(endless); i++)
        endless[i] = 'a';
    endless[sizeof(endless) - 1] = '\0';
    CHECK(!look(put_vtable(0, put_root(endless))));
    endless[LOUPE_MAX_TYPE_NAME] = '\0';
    CHECK(look(put_vtable(0, put_root(endless))));
    const uint64_t crowd[] = {severals, drawn_string(&heap, "5Crowd"), UINT64_C(0xffffffff) << 32};
    CHECK(look(put_vtable(0, put_words(3, crowd))));
    CHECK_EQ(base, 0);
    drawn_heap_deinit(&heap);
}

int main(void) {
    RUN(test_classes_and_their_bases);
    RUN(test_first_of_several_bases_is_at_the_start);
    RUN(test_name_of_one_file_loses_its_star);
    RUN(test_name_need_not_be_unique);
    RUN(test_signed_pointers);
    RUN(test_without_typeinfo_the_symbol_tells);
    RUN(test_other_words_are_none);
    RUN(test_hostile_typeinfo_ends);
    return check_report();
}
