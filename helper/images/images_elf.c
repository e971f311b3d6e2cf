#include "images/images.h"
#include "memory/pages.h"
#include "memory/proc_maps.h"

#include <link.h>
#include <string.h>

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;
typedef ElfW(Dyn) elf_dynamic;

enum {
    MAX_SEGMENTS = 64,
    MAX_PATH = 4096,
    MAX_NOTES = 1024,
    OTHER_ENTRIES = 16, /* of the loader's list: the kernel's, the loader itself */
    NATIVE_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32
};

/* ---- The loaded images ---- */

static bool is_elf(const elf_header *header) {
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == NATIVE_CLASS &&
           (header->e_type == ET_EXEC || header->e_type == ET_DYN) &&
           header->e_phentsize == sizeof(elf_segment) && header->e_phnum <= MAX_SEGMENTS;
}

static uint64_t page_start(uint64_t addr) {
    return addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

/*
 * A file that the program merely mapped has the same header at its start. A loaded image has its
 * code mapped executable, from the right place of the file to the right address. `after` is the map
 * behind the line of the header.
 */
static bool code_is_mapped(const struct loupe_proc_mapping *header_mapping, const char *after,
                           const elf_segment *segment, loupe_addr bias) {
    loupe_addr code = page_start(bias + segment->p_vaddr);
    struct loupe_proc_mapping mapping = *header_mapping;
    do {
        if (mapping.inode == header_mapping->inode &&
            mapping.device_major == header_mapping->device_major &&
            mapping.device_minor == header_mapping->device_minor && mapping.executable &&
            code >= mapping.start && code < mapping.end)
            return mapping.offset + (code - mapping.start) == page_start(segment->p_offset);
    } while (mapping.start <= code && loupe_proc_maps_next(&after, &mapping));
    return false;
}

/* Where the image lies, from its program headers. */
static bool place_image(struct loupe_image *image, const elf_segment *segments, unsigned count,
                        const struct loupe_proc_mapping *mapping, const char *after) {
    const elf_segment *first = NULL, *code = NULL;
    uint64_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        const elf_segment *segment = &segments[i];
        if (segment->p_type != PT_LOAD)
            continue;
        if (!first)
            first = segment;
        if (!code && (segment->p_flags & PF_X))
            code = segment;
        if (segment->p_vaddr + segment->p_memsz > end)
            end = segment->p_vaddr + segment->p_memsz;
    }
    if (!first || !code || page_start(first->p_offset) != 0)
        return false;
    image->bias = mapping->start - page_start(first->p_vaddr);
    image->start = mapping->start;
    image->end = image->bias + end;
    return image->end > image->start && code_is_mapped(mapping, after, code, image->bias);
}

/* Tables of the dynamic section; the loader has made addresses of them, except on a few systems. */
static loupe_addr table_address(const struct loupe_image *image, uint64_t value) {
    return value < image->start ? value + image->bias : value;
}

static void read_dynamic(struct loupe_images *images, struct loupe_image *image,
                         const elf_segment *segment) {
    const elf_dynamic *entries = loupe_images_bytes(images, image->bias + segment->p_vaddr,
                                                    segment->p_memsz, _Alignof(elf_dynamic));
    if (!entries)
        return;
    for (size_t i = 0; i < segment->p_memsz / sizeof(*entries); i++) {
        uint64_t value = entries[i].d_un.d_ptr;
        if (entries[i].d_tag == DT_NULL)
            break;
        if (entries[i].d_tag == DT_SYMTAB)
            image->exports.symbols = table_address(image, value);
        else if (entries[i].d_tag == DT_STRTAB)
            image->exports.strings = table_address(image, value);
        else if (entries[i].d_tag == DT_GNU_HASH)
            image->exports.hash = table_address(image, value);
        else if (entries[i].d_tag == DT_DEBUG && value)
            images->loader_list = value;
    }
}

/* The notes in front of the code: the linker's number is one of them. */
static void read_notes(struct loupe_images *images, struct loupe_image *image,
                       const elf_segment *segment) {
    const void *notes =
        segment->p_memsz <= MAX_NOTES
            ? loupe_images_bytes(images, image->bias + segment->p_vaddr, segment->p_memsz, 1)
            : NULL;
    if (notes)
        image->build ^= loupe_images_hash(notes, segment->p_memsz);
}

static enum loupe_status add_image(struct loupe_images *images,
                                   const struct loupe_proc_mapping *mapping, const char *after) {
    const elf_header *header =
        loupe_images_bytes(images, mapping->start, sizeof(*header), _Alignof(elf_header));
    if (!header || !is_elf(header))
        return LOUPE_OK;
    const elf_segment *segments =
        loupe_images_bytes(images, mapping->start + header->e_phoff,
                           header->e_phnum * sizeof(*segments), _Alignof(elf_segment));
    struct loupe_image found = {.path = mapping->path,
                                .identity = {.inode = mapping->inode,
                                             .device_major = mapping->device_major,
                                             .device_minor = mapping->device_minor}};
    if (!segments || !place_image(&found, segments, header->e_phnum, mapping, after))
        return LOUPE_OK;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_DYNAMIC)
            read_dynamic(images, &found, &segments[i]);
        else if (segments[i].p_type == PT_NOTE)
            read_notes(images, &found, &segments[i]);
    }
    struct loupe_image *image = loupe_images_add(images);
    if (!image)
        return LOUPE_ENOMEM;
    *image = found;
    return LOUPE_OK;
}

/* ---- Their order: where several export a symbol, the first one loaded is meant ---- */

static void move_image(struct loupe_images *images, size_t from, size_t to) {
    struct loupe_image moved = images->items[from];
    memmove(&images->items[to + 1], &images->items[to], (from - to) * sizeof(moved));
    images->items[to] = moved;
}

/* The loader keeps a list in that order for debuggers. It may be just changing it: those that are
 * not in it stay behind the others. */
static void put_in_order(struct loupe_images *images) {
    const struct r_debug *list =
        loupe_images_bytes(images, images->loader_list, sizeof(*list), _Alignof(struct r_debug));
    loupe_addr next = list ? (uintptr_t)list->r_map : 0;
    size_t sorted = 0;
    for (size_t i = 0; next && i < images->count + OTHER_ENTRIES; i++) {
        const struct link_map *entry =
            loupe_images_bytes(images, next, sizeof(*entry), _Alignof(struct link_map));
        if (!entry)
            return;
        loupe_addr inside = (uintptr_t)entry->l_ld;
        for (size_t j = sorted; j < images->count; j++) {
            if (inside >= images->items[j].start && inside < images->items[j].end) {
                move_image(images, j, sorted++);
                break;
            }
        }
        next = (uintptr_t)entry->l_next;
    }
}

enum loupe_status loupe_images_list(struct loupe_images *images) {
    const char *cursor = images->regions->map;
    struct loupe_proc_mapping mapping;
    enum loupe_status status = LOUPE_OK;
    while (!status && loupe_proc_maps_next(&cursor, &mapping))
        if (mapping.readable && mapping.offset == 0 && mapping.inode &&
            loupe_span_starts_with(mapping.path, "/"))
            status = add_image(images, &mapping, cursor);
    if (!status)
        put_in_order(images);
    return status;
}

/* ---- Exported symbols: the hash table that the loader uses ---- */

static uint32_t gnu_hash(const char *name) {
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* Whether the exported symbol of that number has the name and a place here. */
static bool export_matches(struct loupe_images *images, const struct loupe_image *image,
                           uint32_t number, const char *name, loupe_addr *ret) {
    const elf_symbol *symbol =
        loupe_images_bytes(images, image->exports.symbols + (uint64_t)number * sizeof(*symbol),
                           sizeof(*symbol), _Alignof(elf_symbol));
    if (!symbol || symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
        return false;
    loupe_addr place = image->exports.strings + symbol->st_name;
    size_t length = strlen(name) + 1;
    const char *text = loupe_images_bytes(images, place, length, 1);
    if (!text || memcmp(text, name, length) != 0)
        return false;
    *ret = image->bias + symbol->st_value;
    return true;
}

struct hash_header {
    uint32_t bucket_count, first_symbol, bloom_size, bloom_shift;
};

enum loupe_status loupe_image_exported(struct loupe_images *images, const struct loupe_image *image,
                                       const char *name, loupe_addr *ret) {
    const struct hash_header *header =
        image->exports.hash && image->exports.symbols && image->exports.strings
            ? loupe_images_bytes(images, image->exports.hash, sizeof(*header),
                                 _Alignof(struct hash_header))
            : NULL;
    if (!header || !header->bucket_count || !header->bloom_size)
        return LOUPE_EFAULT;
    uint32_t hash = gnu_hash(name);
    enum { WORD_BITS = sizeof(uintptr_t) * 8 };
    loupe_addr bloom = image->exports.hash + sizeof(*header);
    loupe_addr buckets = bloom + (uint64_t)header->bloom_size * sizeof(uintptr_t);
    loupe_addr chains = buckets + (uint64_t)header->bucket_count * sizeof(uint32_t);
    const uintptr_t *word =
        loupe_images_bytes(images, bloom + (hash / WORD_BITS % header->bloom_size) * sizeof(*word),
                           sizeof(*word), sizeof(*word));
    if (!word || !(*word >> hash % WORD_BITS & 1) ||
        !(*word >> (hash >> header->bloom_shift) % WORD_BITS & 1))
        return LOUPE_EFAULT;
    const uint32_t *bucket =
        loupe_images_bytes(images, buckets + (hash % header->bucket_count) * sizeof(*bucket),
                           sizeof(*bucket), sizeof(*bucket));
    if (!bucket || *bucket < header->first_symbol)
        return LOUPE_EFAULT;
    for (uint32_t number = *bucket;; number++) {
        const uint32_t *link = loupe_images_bytes(
            images, chains + (uint64_t)(number - header->first_symbol) * sizeof(*link),
            sizeof(*link), sizeof(*link));
        if (!link)
            return LOUPE_EFAULT;
        if ((*link | 1) == (hash | 1) && export_matches(images, image, number, name, ret))
            return LOUPE_OK;
        if (*link & 1 || number == UINT32_MAX)
            return LOUPE_EFAULT;
    }
}

/* ---- All symbols: the file ---- */

/* Maps the image's file, unless another one has taken its path. */
static bool map_file(struct loupe_image *image) {
    char path[MAX_PATH];
    if (image->path.length >= sizeof(path))
        return false;
    memcpy(path, image->path.bytes, image->path.length);
    path[image->path.length] = '\0';
    int file = loupe_system_open(path);
    if (file < 0)
        return false;
    struct loupe_system_file found;
    if (loupe_system_stat(file, &found) && found.inode == image->identity.inode &&
        found.device_major == image->identity.device_major &&
        found.device_minor == image->identity.device_minor) {
        const void *mapped = loupe_system_map_file(file, found.size);
        if (mapped && !loupe_pages_adopt(mapped, found.size))
            loupe_system_unmap_file(mapped, found.size);
        else
            image->file = mapped;
        image->file_size = found.size;
    }
    loupe_system_close(file);
    return image->file != NULL;
}

/* Bytes of the mapped file that start at a multiple of alignment, or NULL. */
static const void *file_bytes(const struct loupe_image *image, uint64_t offset, uint64_t len,
                              size_t alignment) {
    if (offset % alignment || offset > image->file_size || len > image->file_size - offset)
        return NULL;
    return (const uint8_t *)image->file + offset;
}

/* .symtab if there is one, else .dynsym. */
static const elf_section *symbol_section(const elf_section *sections, unsigned count) {
    const elf_section *found = NULL;
    for (unsigned i = 0; i < count; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (!found && sections[i].sh_type == SHT_DYNSYM))
            found = &sections[i];
    return found;
}

static void find_table(struct loupe_image *image) {
    const elf_header *header = file_bytes(image, 0, sizeof(*header), _Alignof(elf_header));
    if (!header || header->e_shentsize != sizeof(elf_section))
        return;
    const elf_section *sections =
        file_bytes(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections),
                   _Alignof(elf_section));
    const elf_section *section = sections ? symbol_section(sections, header->e_shnum) : NULL;
    if (!section || section->sh_link >= header->e_shnum)
        return;
    const elf_section *names = &sections[section->sh_link];
    const void *symbols =
        file_bytes(image, section->sh_offset, section->sh_size, _Alignof(elf_symbol));
    const char *strings = file_bytes(image, names->sh_offset, names->sh_size, 1);
    uint64_t count = section->sh_size / sizeof(elf_symbol);
    if (!symbols || !strings || count > UINT32_MAX)
        return;
    image->table = (struct loupe_symbol_table){.symbols = symbols,
                                               .count = (uint32_t)count,
                                               .strings = strings,
                                               .strings_size = (size_t)names->sh_size};
}

void loupe_image_open(struct loupe_images *images, struct loupe_image *image) {
    (void)images;
    if (map_file(image))
        find_table(image);
}

/* The name up to its NUL or version; false when it does not end inside the string table. */
static bool name_of(const struct loupe_symbol_table *table, uint64_t offset,
                    struct loupe_span *ret) {
    if (offset >= table->strings_size)
        return false;
    const char *start = table->strings + offset, *end = table->strings + table->strings_size;
    const char *stop = start;
    while (stop < end && *stop && *stop != '@')
        stop++;
    *ret = (struct loupe_span){.bytes = start, .length = (size_t)(stop - start)};
    return stop < end;
}

bool loupe_image_symbol(const struct loupe_image *image, uint32_t number,
                        struct loupe_symbol *ret) {
    const elf_symbol *symbol = (const elf_symbol *)image->table.symbols + number;
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || type > STT_FUNC ||
        !symbol->st_name)
        return false;
    ret->address = image->bias + symbol->st_value;
    ret->size = symbol->st_size;
    return name_of(&image->table, symbol->st_name, &ret->name) && ret->name.length;
}

/* ---- Swift ---- */

/* The sections of the mapped file; NULL where they are not to be had. */
static const elf_section *sections_of(const struct loupe_image *image, unsigned *count_ret) {
    const elf_header *header = file_bytes(image, 0, sizeof(*header), _Alignof(elf_header));
    if (!header || header->e_shentsize != sizeof(elf_section) || !header->e_shnum)
        return NULL;
    *count_ret = header->e_shnum;
    return file_bytes(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof(elf_section),
                      _Alignof(elf_section));
}

static bool has_prefix(const char *text, uint64_t room, const char *prefix) {
    size_t length = strlen(prefix);
    return room >= length && memcmp(text, prefix, length) == 0;
}

/* Sections called swift5_...: stripping leaves them. */
static bool has_swift_sections(const struct loupe_image *image, const elf_section *sections,
                               unsigned count) {
    const elf_header *header = image->file;
    const elf_section *strings = header->e_shstrndx < count ? &sections[header->e_shstrndx] : NULL;
    const char *names = strings ? file_bytes(image, strings->sh_offset, strings->sh_size, 1) : NULL;
    for (unsigned i = 0; names && i < count; i++) {
        uint64_t name = sections[i].sh_name;
        if (name < strings->sh_size &&
            (has_prefix(names + name, strings->sh_size - name, "swift5_") ||
             has_prefix(names + name, strings->sh_size - name, ".swift5_")))
            return true;
    }
    return !names;
}

/* Whether a function of Swift's runtime is among the dynamic symbols. */
static bool names_swift(const struct loupe_image *image, const elf_section *sections,
                        unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= count)
            continue;
        const elf_section *strings = &sections[sections[i].sh_link];
        const elf_symbol *symbols =
            file_bytes(image, sections[i].sh_offset, sections[i].sh_size, _Alignof(elf_symbol));
        const char *names = file_bytes(image, strings->sh_offset, strings->sh_size, 1);
        if (!symbols || !names)
            return true;
        for (uint64_t j = 0; j < sections[i].sh_size / sizeof(*symbols); j++) {
            uint64_t name = symbols[j].st_name;
            if (name < strings->sh_size &&
                has_prefix(names + name, strings->sh_size - name, "swift_"))
                return true;
        }
    }
    return false;
}

bool loupe_image_may_have_swift(struct loupe_images *images, const struct loupe_image *image) {
    unsigned count = 0;
    const elf_section *sections = image->file ? sections_of(image, &count) : NULL;
    (void)images;
    return !sections || has_swift_sections(image, sections, count) ||
           names_swift(image, sections, count);
}
