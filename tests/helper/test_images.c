/* Symbols of this process, local ones too, without the loader's functions. */
#include "check.h"
#include "images/images.h"
#include "memory/pages.h"

#include <dlfcn.h>
#include <fcntl.h>
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

int main(void) {
    local_function_of_the_test(1);
    RUN(test_exported_symbols_are_those_that_the_loader_finds);
    RUN(test_local_symbols_are_found);
    RUN(test_addresses_have_the_names_of_what_covers_them);
    RUN(test_addresses_outside_of_images_have_no_name);
    RUN(test_file_that_was_only_mapped_is_no_image);
    RUN(test_images_leave_nothing_mapped);
    return check_report();
}
