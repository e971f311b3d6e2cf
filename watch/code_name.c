#include "code_name.h"

#include "self_memory.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __ELF__
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* dlsym() and dladdr() know exported symbols only; methods and blocks are local ones. */
struct file {
    const unsigned char *bytes;
    size_t size;
};

static struct file map_file(const char *path) {
    struct file file = {NULL, 0};
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return file;
    if (fstat(descriptor, &about) == 0 && about.st_size > (off_t)sizeof(ElfW(Ehdr))) {
        void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED)
            file = (struct file){bytes, (size_t)about.st_size};
    }
    close(descriptor);
    return file;
}

/* The file is what is loaded, yet it may have been replaced since: every offset is checked. */
static const void *piece(const struct file *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset ? file->bytes + offset : NULL;
}

static const ElfW(Shdr) * symbol_table(const struct file *file, const ElfW(Shdr) * *ret_strings) {
    const ElfW(Ehdr) *head = piece(file, 0, sizeof(*head));
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)))
        return NULL;
    const ElfW(Shdr) *sections =
        piece(file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*sections));
    for (unsigned i = 0; sections && i < head->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum) {
            *ret_strings = &sections[sections[i].sh_link];
            return &sections[i];
        }
    }
    return NULL;
}

static bool find_symbol(const struct file *file, uint64_t address, char *dst, size_t cap) {
    const ElfW(Shdr) * strings, *table = symbol_table(file, &strings);
    const ElfW(Sym) *symbols = table ? piece(file, table->sh_offset, table->sh_size) : NULL;
    const char *names = symbols ? piece(file, strings->sh_offset, strings->sh_size) : NULL;
    size_t count = symbols ? table->sh_size / sizeof(*symbols) : 0;
    for (size_t i = 0; names && i < count; i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        if (address < symbol->st_value || address - symbol->st_value >= symbol->st_size ||
            symbol->st_name >= strings->sh_size)
            continue;
        size_t room = strings->sh_size - symbol->st_name;
        snprintf(dst, cap, "%.*s", (int)(room < cap ? room : cap), names + symbol->st_name);
        return *dst != '\0';
    }
    return false;
}

static bool name_at(uintptr_t address, char *dst, size_t cap) {
    Dl_info info;
    struct link_map *image = NULL;
    if (!dladdr1((void *)address, &info, (void **)&image, RTLD_DL_LINKMAP) || !info.dli_fname)
        return false;
    struct file file = map_file(image->l_name && *image->l_name ? image->l_name : "/proc/self/exe");
    bool is_found = file.bytes && find_symbol(&file, address - image->l_addr, dst, cap);
    if (file.bytes)
        munmap((void *)(uintptr_t)file.bytes, file.size);
    return is_found;
}
#else
static bool name_at(uintptr_t address, char *dst, size_t cap) {
    Dl_info info;
    if (!dladdr((void *)address, &info) || !info.dli_sname)
        return false;
    snprintf(dst, cap, "%s", info.dli_sname);
    return true;
}
#endif

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
