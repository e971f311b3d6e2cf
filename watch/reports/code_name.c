#include "code_name.h"

#include "shared/chunks.h"
#include "image/symbol_index.h"
#include "shared/self_memory.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __ELF__
#include <link.h>
#endif

/* ---- Symbols of an image, local ones too, which dladdr() does not know ---- */

static enum loupe_status read_self(void *unused, loupe_addr address, void *dst, size_t length) {
    (void)unused;
    return watch_read((const void *)(uintptr_t)address, dst, length) ? LOUPE_OK : LOUPE_EFAULT;
}

struct file {
    const uint8_t *bytes; /* NULL: it cannot be had */
    uint64_t size;
};

static enum loupe_status read_file(void *context, loupe_addr offset, void *dst, size_t length) {
    const struct file *file = context;
    if (offset > file->size || length > file->size - offset)
        return LOUPE_EFAULT;
    memcpy(dst, file->bytes + offset, length);
    return LOUPE_OK;
}

static bool open_window(void *context, loupe_addr offset, struct loupe_window *ret) {
    const struct file *file = context;
    *ret = (struct loupe_window){.start = 0, .end = file->size, .bytes = file->bytes};
    return offset < file->size;
}

static struct file map_file(const char *path) {
    struct file file = {NULL, 0};
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return file;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED)
            file = (struct file){bytes, (uint64_t)about.st_size};
    }
    close(descriptor);
    return file;
}

static bool find_symbol(struct loupe_image *image, uintptr_t address, char *dst, size_t cap) {
    struct loupe_symbol_places places = {0};
    struct loupe_symbol symbol;
    struct loupe_span name;
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    loupe_image_find_table(image);
    bool is_found = !loupe_symbol_places_sort(&places, image, &watch_chunks) &&
                    loupe_symbol_places_find(&places, image, address, &symbol) &&
                    loupe_image_symbol_name(image, &symbol, bounce, &name) && name.length;
    if (is_found)
        snprintf(dst, cap, "%.*s", (int)name.length, name.bytes);
    loupe_symbol_places_free(&places, &watch_chunks);
    return is_found;
}

/* The image's file by the name that opens it; dladdr() has the program as it was typed. */
static bool find_image(uintptr_t address, uintptr_t *ret_start, const char **ret_path) {
    Dl_info info;
#ifdef __ELF__
    struct link_map *map = NULL;
    if (!dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    *ret_path = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
#else
    if (!dladdr((void *)address, &info))
        return false;
    *ret_path = info.dli_fname;
#endif
    *ret_start = (uintptr_t)info.dli_fbase;
    return true;
}

static bool name_at(uintptr_t address, char *dst, size_t cap) {
    static const struct loupe_reader_ops self_ops = {.read = read_self};
    static const struct loupe_reader_ops file_ops = {.read = read_file, .window = open_window};
    static const struct loupe_machine machine = {.pointer_size = sizeof(void *)};
    struct loupe_memory self, of_file;
    struct loupe_image image;
    uintptr_t start;
    const char *path;
    if (!find_image(address, &start, &path))
        return false;
    struct file file = map_file(path);
    loupe_memory_init(&self, &self_ops, NULL, machine, &watch_chunks);
    loupe_memory_init(&of_file, &file_ops, &file, machine, &watch_chunks);
    bool is_open = !loupe_image_open(&self, start, &image);
    if (is_open && file.bytes)
        loupe_image_open_file(&image, &of_file); /* else it has exported symbols */
    bool is_found = is_open && find_symbol(&image, address, dst, cap);
    loupe_memory_deinit(&of_file);
    loupe_memory_deinit(&self);
    if (file.bytes)
        munmap((void *)(uintptr_t)file.bytes, file.size);
    return is_found;
}

/* ---- Names ---- */

/* A name is the target's text: only what people write in names. */
static void make_printable(char *text) {
    for (; *text; text++) {
        if (*text < ' ' || *text > '~')
            *text = '?';
    }
}

static bool named(uintptr_t address, char *dst, size_t cap) {
    if (!address || !name_at(address, dst, cap))
        return false;
    make_printable(dst);
    return true;
}

bool watch_data_name(const char *address, char *dst, size_t cap) {
    return named((uintptr_t)strtoull(address, NULL, 16), dst, cap);
}

/* __31-[PhotoCell load]_block_invoke_2 is code of -[PhotoCell load]. */
static void take_function(char *name) {
    char *at = name, *end = strstr(name, "_block_invoke");
    if (strncmp(name, "__", 2) != 0 || !end)
        return;
    *end = '\0';
    for (at = name + 2; *at >= '0' && *at <= '9'; at++)
        ;
    memmove(name, at, strlen(at) + 1);
}

/* The block may be gone by now. */
bool watch_block_code(const char *block, char *dst, size_t cap) {
    enum { NAME = 200, INVOKE = 2 };
    char name[NAME];
    uintptr_t at = (uintptr_t)strtoull(block, NULL, 16), code;
    if (!at || !watch_read((const uintptr_t *)at + INVOKE, &code, sizeof(code)))
        return false;
#if defined(__APPLE__) && defined(__aarch64__)
    code &= 0x7fffffffffffu; /* without its signature */
#endif
    if (!named(code, name, sizeof(name)))
        return false;
    take_function(name);
    snprintf(dst, cap, "in %s", name);
    return true;
}
