/*
 * Symbols of this process, local ones too, without the loader's functions.
 *
 * usage: test_images LIBRARY STRIPPED OTHER_BUILD     programs/symbols.c in three forms
 */
#include "check.h"
#include "images/images.h"
#include "images/symbol_cache.h"
#include "memory/pages.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct loupe_regions regions;
static struct loupe_images images;

static void begin(void) {
    CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_OK);
    loupe_images_init(&images, &regions, &loupe_pages);
}

static void end(void) {
    loupe_images_deinit(&images);
    loupe_regions_deinit(&regions);
    loupe_pages_reclaim();
}

static loupe_addr find(const char *name) {
    loupe_addr found = 0;
    return loupe_images_find(&images, name, &found) == LOUPE_OK ? found : 0;
}

static loupe_addr address_of(const void *place) {
    return (loupe_addr)(uintptr_t)place;
}

static int local_variable_of_the_test[4] = {1, 2, 3, 4};

__attribute__((noinline)) static int local_function_of_the_test(int x) {
    local_variable_of_the_test[x & 3]++;
    return local_variable_of_the_test[0];
}

static void test_exported_symbols_are_those_that_the_loader_finds(void) {
    static const char *const names[] = {"malloc", "stdout", "open", "qsort"};
    begin();
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check_current = names[i];
        CHECK_EQ(find(names[i]), address_of(dlsym(RTLD_DEFAULT, names[i])));
    }
    end();
}

static void test_local_symbols_are_found(void) {
    begin();
    CHECK_EQ(find("local_function_of_the_test"), (uintptr_t)local_function_of_the_test);
    CHECK_EQ(find("local_variable_of_the_test"), address_of(local_variable_of_the_test));
    CHECK_EQ(find("no_such_symbol_anywhere"), 0);
    end();
}

static void test_addresses_have_the_names_of_what_covers_them(void) {
    char name[64];
    uint64_t offset;
    begin();
    CHECK_EQ(loupe_images_name(&images, (uintptr_t)local_function_of_the_test + 1, name,
                               sizeof(name), &offset),
             LOUPE_OK);
    CHECK_STR(name, "local_function_of_the_test");
    CHECK_EQ(offset, 1);
    CHECK_EQ(loupe_images_name(&images, address_of(&local_variable_of_the_test[3]), name,
                               sizeof(name), &offset),
             LOUPE_OK);
    CHECK_STR(name, "local_variable_of_the_test");
    CHECK_EQ(offset, 12);
    char cut[6];
    loupe_images_name(&images, (uintptr_t)local_function_of_the_test, cut, sizeof(cut), &offset);
    CHECK_STR(cut, "local");
    end();
}

static void test_addresses_outside_of_images_have_no_name(void) {
    char name[64];
    uint64_t offset;
    int local = 0;
    void *heap = malloc(16);
    begin();
    CHECK_EQ(loupe_images_name(&images, address_of(&local), name, sizeof(name), &offset),
             LOUPE_EFAULT);
    CHECK_EQ(loupe_images_name(&images, address_of(heap), name, sizeof(name), &offset),
             LOUPE_EFAULT);
    CHECK_EQ(loupe_images_name(&images, 0, name, sizeof(name), &offset), LOUPE_EFAULT);
    end();
    free(heap);
}

/* The header of a mapped file looks like that of a loaded image. */
static void test_file_that_was_only_mapped_is_no_image(void) {
    int file = open("/proc/self/exe", O_RDONLY);
    struct stat found;
    CHECK_EQ(fstat(file, &found), 0);
    void *copy = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(copy != MAP_FAILED);
    begin();
    CHECK_EQ(find("local_function_of_the_test"), (uintptr_t)local_function_of_the_test);
    unsigned same_file = 0;
    for (size_t i = 0; i < images.count; i++)
        same_file += images.items[i].identity.inode == found.st_ino;
    CHECK_EQ(same_file, 1);
    end();
    munmap(copy, (size_t)found.st_size);
    close(file);
}

static size_t read_map(char *dst, size_t cap) {
    int file = open("/proc/self/maps", O_RDONLY);
    size_t length = 0;
    ssize_t got;
    while ((got = read(file, dst + length, cap - length)) > 0)
        length += (size_t)got;
    close(file);
    return length;
}

static void test_images_leave_nothing_mapped(void) {
    static char before[1 << 16], after[1 << 16];
    char name[64];
    uint64_t offset;
    size_t length = read_map(before, sizeof(before));
    begin();
    find("no_such_symbol_anywhere");
    loupe_images_name(&images, (uintptr_t)local_function_of_the_test, name, sizeof(name), &offset);
    end();
    CHECK_EQ(read_map(after, sizeof(after)), length);
    CHECK(memcmp(before, after, length) == 0);
}

/* ---- A library that is loaded from a file ---- */

struct library {
    void *handle;
    loupe_addr exported, not_exported;
};

static struct library load(const char *path) {
    struct library library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!CHECK(library.handle != NULL)) {
        printf("    %s\n", dlerror());
        exit(1);
    }
    void *exported = dlsym(library.handle, "loupe_test_exported");
    const void *(*call)(void);
    memcpy(&call, &exported, sizeof(call));
    library.exported = address_of(exported);
    library.not_exported = address_of(call());
    return library;
}

static bool is_named(loupe_addr addr, const char *wanted) {
    char name[64];
    uint64_t offset;
    return loupe_images_name(&images, addr, name, sizeof(name), &offset) == LOUPE_OK &&
           offset == 0 && strcmp(name, wanted) == 0;
}

static const char *library_path, *stripped_library_path, *other_build_path;

static void test_library_that_is_loaded_later_has_local_names(void) {
    begin();
    CHECK_EQ(find("loupe_test_not_exported"), 0);
    end();
    struct library library = load(library_path);
    begin();
    CHECK_EQ(find("loupe_test_exported"), library.exported);
    CHECK_EQ(find("loupe_test_not_exported"), library.not_exported);
    CHECK(is_named(library.not_exported, "loupe_test_not_exported"));
    end();
    dlclose(library.handle);
    begin();
    CHECK_EQ(find("loupe_test_exported"), 0);
    CHECK_EQ(find("loupe_test_not_exported"), 0);
    end();
}

static void test_symbol_of_several_libraries_is_that_of_the_first_one_loaded(void) {
    const char *const paths[] = {library_path, other_build_path};
    for (unsigned first = 0; first < 2; first++) {
        struct library library = load(paths[first]), other = load(paths[1 - first]);
        begin();
        CHECK(library.exported != other.exported);
        CHECK_EQ(find("loupe_test_exported"), library.exported);
        end();
        dlclose(other.handle);
        dlclose(library.handle);
    }
}

static void test_stripped_library_has_exported_names_only(void) {
    struct library library = load(stripped_library_path);
    begin();
    CHECK_EQ(find("loupe_test_exported"), library.exported);
    CHECK_EQ(find("loupe_test_not_exported"), 0);
    CHECK(is_named(library.exported, "loupe_test_exported"));
    CHECK(!is_named(library.not_exported, "loupe_test_not_exported"));
    end();
    dlclose(library.handle);
}

/* A copy of the library that a test may damage. */
struct copy {
    char path[64];
    int file;
    size_t size;
    _Alignas(ElfW(Ehdr)) uint8_t bytes[1 << 18];
};

static void copy_library(struct copy *copy, const char *path) {
    int original = open(path, O_RDONLY);
    copy->size = (size_t)read(original, copy->bytes, sizeof(copy->bytes));
    close(original);
    CHECK(copy->size > sizeof(ElfW(Ehdr)) && copy->size < sizeof(copy->bytes));
    strcpy(copy->path, "/tmp/loupe-images-XXXXXX");
    copy->file = mkstemp(copy->path);
    CHECK_EQ(pwrite(copy->file, copy->bytes, copy->size, 0), (ssize_t)copy->size);
}

static void test_file_that_another_one_has_replaced_gives_no_local_names(void) {
    static struct copy copy, other;
    copy_library(&copy, library_path);
    copy_library(&other, library_path);
    struct library library = load(copy.path);
    CHECK_EQ(rename(other.path, copy.path), 0);
    begin();
    CHECK_EQ(find("loupe_test_exported"), library.exported);
    CHECK_EQ(find("loupe_test_not_exported"), 0);
    end();
    unlink(copy.path);
    close(other.file);
    dlclose(library.handle); /* copy.file stays open: the number of that file is not to be reused */
}

/* As when a program loads a plugin again that was built anew meanwhile: same file, same addresses,
 * other symbols. */
static void test_library_that_was_built_anew_is_looked_at_anew(void) {
    static struct copy copy, other;
    copy_library(&copy, library_path);
    copy_library(&other, other_build_path);
    struct library before = load(copy.path);
    begin();
    CHECK_EQ(find("loupe_test_not_exported"), before.not_exported);
    end();
    dlclose(before.handle);
    CHECK_EQ(ftruncate(copy.file, (off_t)other.size), 0);
    CHECK_EQ(pwrite(copy.file, other.bytes, other.size, 0), (ssize_t)other.size);
    struct library after = load(copy.path);
    begin();
    CHECK_EQ(find("loupe_test_not_exported"), after.not_exported);
    end();
    CHECK(before.not_exported != after.not_exported);
    dlclose(after.handle);
    unlink(copy.path);
    unlink(other.path);
    close(copy.file);
    close(other.file);
}

/* Whether it is found and named now, whatever was remembered. */
static bool has_local_symbol(loupe_addr addr) {
    begin();
    bool named = is_named(addr, "loupe_test_not_exported");
    loupe_symbol_cache_begin(0);
    bool found = find("loupe_test_not_exported") == addr;
    end();
    return named && found;
}

/* Each byte of a part of the file once with some wrong values. Returns how often the symbol was
 * still there. */
static unsigned damage(const struct copy *copy, loupe_addr symbol, size_t start, size_t size) {
    static const uint8_t masks[] = {0x01, 0x04, 0x80, 0xff};
    unsigned found = 0;
    for (size_t at = start; at < start + size; at++) {
        for (unsigned i = 0; i < sizeof(masks); i++) {
            uint8_t wrong = copy->bytes[at] ^ masks[i];
            CHECK_EQ(pwrite(copy->file, &wrong, 1, (off_t)at), 1);
            found += has_local_symbol(symbol);
        }
        CHECK_EQ(pwrite(copy->file, &copy->bytes[at], 1, (off_t)at), 1);
    }
    return found;
}

/* The loader looks at none of these parts, the reader of symbols does. */
static void test_damaged_tables_of_a_file_are_survived(void) {
    static struct copy copy;
    copy_library(&copy, library_path);
    struct library library = load(copy.path);
    const ElfW(Ehdr) *header = (const void *)copy.bytes;
    const ElfW(Shdr) *sections = (const void *)(copy.bytes + header->e_shoff);
    size_t places = offsetof(ElfW(Ehdr), e_shoff);
    unsigned tables = 0;
    loupe_addr symbol = library.not_exported;
    CHECK(has_local_symbol(symbol));
    CHECK_EQ(damage(&copy, symbol, places, sizeof(header->e_shoff)), 0);
    damage(&copy, symbol, offsetof(ElfW(Ehdr), e_shentsize), 4);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const ElfW(Shdr) *names = &sections[sections[i].sh_link];
        CHECK(damage(&copy, symbol, (size_t)((const uint8_t *)&sections[i] - copy.bytes),
                     sizeof(sections[i])) > 0);
        damage(&copy, symbol, (size_t)((const uint8_t *)names - copy.bytes), sizeof(*names));
        damage(&copy, symbol, sections[i].sh_offset + sections[i].sh_size - 4 * sizeof(ElfW(Sym)),
               4 * sizeof(ElfW(Sym)));
        tables++;
    }
    CHECK_EQ(tables, 1);
    unlink(copy.path);
    close(copy.file);
    dlclose(library.handle);
}

/* ---- Symbols of a few addresses, without sorting all ---- */

struct symbol_there {
    enum loupe_status status;
    loupe_addr address, name;
};

static struct symbol_there symbol_at(loupe_addr addr) {
    char name[LOUPE_SYMBOL_NAME_SIZE];
    struct loupe_symbol symbol = {0};
    struct symbol_there ret = {.status = LOUPE_EFAULT};
    struct loupe_loaded_image *loaded = loupe_images_at(&images, addr);
    if (!loaded)
        return ret;
    ret.status = loupe_images_symbol(&images, loaded, addr, name, sizeof(name), &symbol);
    if (!ret.status)
        ret = (struct symbol_there){.address = symbol.address, .name = symbol.name};
    return ret;
}

static bool are_same(struct symbol_there a, struct symbol_there b) {
    return a.status == b.status && a.address == b.address && a.name == b.name;
}

enum { FEW = 24, ROUNDS = 200 };

/* Ascending addresses anywhere in the images, and some beside them. */
static void draw_addresses(unsigned *seed, loupe_addr *ret) {
    for (unsigned i = 0; i < FEW; i++) {
        const struct loupe_image *image =
            &images.items[(unsigned)rand_r(seed) % images.count].image;
        uint64_t far = (uint64_t)rand_r(seed) % (image->end - image->start + 64);
        loupe_addr drawn = image->start + far;
        unsigned at = i;
        for (; at && ret[at - 1] > drawn; at--)
            ret[at] = ret[at - 1];
        ret[at] = drawn;
    }
}

static void test_expected_addresses_have_the_same_symbols(void) {
    unsigned seed = 21, named = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        loupe_addr addresses[FEW];
        struct symbol_there expected[FEW];
        begin();
        loupe_images_at(&images, 0);
        draw_addresses(&seed, addresses);
        for (unsigned i = 0; i < FEW; i++) {
            expected[i] = symbol_at(addresses[i]);
            named += !expected[i].status;
        }
        end();
        begin();
        /* The last ones come unexpected. */
        loupe_images_expect(&images, addresses, FEW / 4 * 3);
        for (unsigned i = 0; i < FEW; i++)
            if (!CHECK(are_same(symbol_at(addresses[i]), expected[i])))
                fprintf(stderr, "at 0x%llx\n", (unsigned long long)addresses[i]);
        end();
    }
    CHECK(named > ROUNDS * FEW / 4);
}

static void test_symbols_that_were_looked_up_are_remembered_side_by_side(void) {
    enum { NAMES = 200 };
    char name[16];
    loupe_addr found;
    unsigned kept = 0;
    loupe_symbol_cache_begin(1);
    for (unsigned i = 0; i < NAMES; i++) {
        loupe_format(name, sizeof(name), "symbol_%u", i);
        CHECK(!loupe_symbol_cache_recall(name, &found));
        loupe_symbol_cache_remember(name, i);
    }
    for (unsigned i = 0; i < NAMES; i++) {
        loupe_format(name, sizeof(name), "symbol_%u", i);
        kept += loupe_symbol_cache_recall(name, &found) && found == i;
    }
    CHECK_EQ(kept, NAMES);
    loupe_symbol_cache_begin(0);
}

int main(int argc, char **argv) {
    library_path = argc > 3 ? argv[1] : "";
    stripped_library_path = argc > 3 ? argv[2] : "";
    other_build_path = argc > 3 ? argv[3] : "";
    local_function_of_the_test(1);
    RUN(test_exported_symbols_are_those_that_the_loader_finds);
    RUN(test_local_symbols_are_found);
    RUN(test_addresses_have_the_names_of_what_covers_them);
    RUN(test_addresses_outside_of_images_have_no_name);
    RUN(test_file_that_was_only_mapped_is_no_image);
    RUN(test_images_leave_nothing_mapped);
    RUN(test_library_that_is_loaded_later_has_local_names);
    RUN(test_symbol_of_several_libraries_is_that_of_the_first_one_loaded);
    RUN(test_stripped_library_has_exported_names_only);
    RUN(test_file_that_another_one_has_replaced_gives_no_local_names);
    RUN(test_library_that_was_built_anew_is_looked_at_anew);
    RUN(test_damaged_tables_of_a_file_are_survived);
    RUN(test_expected_addresses_have_the_same_symbols);
    RUN(test_symbols_that_were_looked_up_are_remembered_side_by_side);
    return check_report();
}
