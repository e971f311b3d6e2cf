#include "images/images.h"

#include <mach-o/dyld_images.h>
#include <mach-o/loader.h>
#include <mach-o/nlist.h>
#include <mach/mach.h>
#include <string.h>

_Static_assert(sizeof(void *) == 8, "64-bit Mach-O only");

enum {
    MAX_IMAGES = 1 << 16,
    MAX_COMMANDS_SIZE = 1 << 20,
    LONGEST_EDGE = 4096,
    COMMAND_ALIGNMENT = 8
};
#define IN_SHARED_CACHE 0x80000000u /* mach_header.flags, MH_DYLIB_IN_CACHE of newer SDKs */

/* ---- Load commands ---- */

/* What the load commands say, as addresses in this process. */
struct contents {
    loupe_addr start, end; /* all segments but the link-edit one */
    loupe_addr text_end;
    loupe_addr slide;
    loupe_addr symbols, strings, trie; /* 0: none */
    uint32_t symbol_count, strings_size, trie_size;
    uint64_t build;
};

/* The next load command, bounded by the end of all; NULL behind the last and at one whose size
 * would leave the next one misaligned. */
static const struct load_command *next_command(const uint8_t **cursor, const uint8_t *end) {
    const struct load_command *command = (const struct load_command *)(const void *)*cursor;
    if ((size_t)(end - *cursor) < sizeof(*command) || command->cmdsize < sizeof(*command) ||
        command->cmdsize % COMMAND_ALIGNMENT || command->cmdsize > (size_t)(end - *cursor))
        return NULL;
    *cursor += command->cmdsize;
    return command;
}

static const void *command_of_size(const struct load_command *command, size_t size) {
    return command->cmdsize >= size ? command : NULL;
}

static const struct segment_command_64 *segment_of(const struct load_command *command) {
    return command->cmd == LC_SEGMENT_64
               ? command_of_size(command, sizeof(struct segment_command_64))
               : NULL;
}

static void place_segments(const uint8_t *cursor, const uint8_t *end, loupe_addr load_address,
                           struct contents *ret, const struct segment_command_64 **linkedit_ret) {
    const struct load_command *command;
    uint64_t last = 0, text = 0;
    while ((command = next_command(&cursor, end))) {
        const struct segment_command_64 *segment = segment_of(command);
        if (!segment)
            continue;
        if (strncmp(segment->segname, SEG_LINKEDIT, sizeof(segment->segname)) == 0) {
            *linkedit_ret = segment;
            continue;
        }
        if (strncmp(segment->segname, SEG_TEXT, sizeof(segment->segname)) == 0) {
            ret->slide = load_address - segment->vmaddr;
            text = segment->vmaddr + segment->vmsize;
        }
        if (segment->vmaddr + segment->vmsize > last)
            last = segment->vmaddr + segment->vmsize;
    }
    ret->start = load_address;
    ret->end = last + ret->slide;
    ret->text_end = text + ret->slide;
}

/* Whether a table lies in the link-edit segment as a whole. */
static bool holds(const struct segment_command_64 *linkedit, uint64_t offset, uint64_t size) {
    return offset >= linkedit->fileoff && offset - linkedit->fileoff <= linkedit->filesize &&
           size <= linkedit->filesize - (offset - linkedit->fileoff);
}

static void place_tables(const uint8_t *cursor, const uint8_t *end,
                         const struct segment_command_64 *linkedit, struct contents *ret) {
    loupe_addr file_start = linkedit->vmaddr + ret->slide - linkedit->fileoff;
    const struct load_command *command;
    while ((command = next_command(&cursor, end))) {
        const struct symtab_command *symtab;
        const struct dyld_info_command *info;
        const struct linkedit_data_command *trie;
        const struct uuid_command *uuid;
        if (command->cmd == LC_SYMTAB && (symtab = command_of_size(command, sizeof(*symtab))) &&
            holds(linkedit, symtab->symoff, symtab->nsyms * sizeof(struct nlist_64)) &&
            holds(linkedit, symtab->stroff, symtab->strsize)) {
            ret->symbols = file_start + symtab->symoff;
            ret->symbol_count = symtab->nsyms;
            ret->strings = file_start + symtab->stroff;
            ret->strings_size = symtab->strsize;
        } else if ((command->cmd == LC_DYLD_INFO || command->cmd == LC_DYLD_INFO_ONLY) &&
                   (info = command_of_size(command, sizeof(*info))) && info->export_size &&
                   holds(linkedit, info->export_off, info->export_size)) {
            ret->trie = file_start + info->export_off;
            ret->trie_size = info->export_size;
        } else if (command->cmd == LC_DYLD_EXPORTS_TRIE &&
                   (trie = command_of_size(command, sizeof(*trie))) && trie->datasize &&
                   holds(linkedit, trie->dataoff, trie->datasize)) {
            ret->trie = file_start + trie->dataoff;
            ret->trie_size = trie->datasize;
        } else if (command->cmd == LC_UUID && (uuid = command_of_size(command, sizeof(*uuid)))) {
            ret->build = loupe_images_hash(uuid->uuid, sizeof(uuid->uuid));
        }
    }
}

static bool read_contents(struct loupe_images *images, loupe_addr load_address,
                          struct contents *ret, uint32_t *flags_ret) {
    const struct mach_header_64 *header =
        loupe_images_bytes(images, load_address, sizeof(*header), COMMAND_ALIGNMENT);
    if (!header || header->magic != MH_MAGIC_64 || header->sizeofcmds > MAX_COMMANDS_SIZE)
        return false;
    const uint8_t *commands = loupe_images_bytes(images, load_address + sizeof(*header),
                                                 header->sizeofcmds, COMMAND_ALIGNMENT);
    if (!commands)
        return false;
    const struct segment_command_64 *linkedit = NULL;
    *ret = (struct contents){0};
    *flags_ret = header->flags;
    place_segments(commands, commands + header->sizeofcmds, load_address, ret, &linkedit);
    if (linkedit)
        place_tables(commands, commands + header->sizeofcmds, linkedit, ret);
    return ret->end > ret->start;
}

/* ---- The loaded images: the list that dyld keeps for debuggers ---- */

static enum loupe_status add_image(struct loupe_images *images, loupe_addr load_address) {
    struct contents contents;
    uint32_t flags;
    if (!read_contents(images, load_address, &contents, &flags))
        return LOUPE_OK;
    struct loupe_image *image = loupe_images_add(images);
    if (!image)
        return LOUPE_ENOMEM;
    /* Images of the shared cache interleave their data, and their local symbols are not there. */
    bool in_cache = flags & IN_SHARED_CACHE;
    *image = (struct loupe_image){
        .start = contents.start,
        .end = in_cache ? contents.text_end : contents.end,
        .bias = contents.slide,
        .build = contents.build,
        .opened = in_cache,
        .exports = {.base = load_address, .hash = contents.trie, .hash_size = contents.trie_size}};
    return LOUPE_OK;
}

enum loupe_status loupe_images_list(struct loupe_images *images) {
    struct task_dyld_info info;
    mach_msg_type_number_t count = TASK_DYLD_INFO_COUNT;
    if (task_info(mach_task_self(), TASK_DYLD_INFO, (task_info_t)&info, &count))
        return LOUPE_OK;
    const struct dyld_all_image_infos *all = loupe_images_bytes(
        images, info.all_image_info_addr, sizeof(*all), _Alignof(struct dyld_all_image_infos));
    /* Without an array dyld is just changing it. */
    if (!all || !all->infoArray || all->infoArrayCount > MAX_IMAGES)
        return LOUPE_OK;
    const struct dyld_image_info *items =
        loupe_images_bytes(images, (uintptr_t)all->infoArray, all->infoArrayCount * sizeof(*items),
                           _Alignof(struct dyld_image_info));
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; items && !status && i < all->infoArrayCount; i++)
        status = add_image(images, (uintptr_t)items[i].imageLoadAddress);
    return status;
}

/* ---- Exported symbols: the trie that the loader uses ---- */

static bool take_uleb(const uint8_t **cursor, const uint8_t *end, uint64_t *ret) {
    uint64_t value = 0;
    for (unsigned shift = 0; *cursor < end && shift < 64; shift += 7) {
        uint8_t byte = *(*cursor)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* Whether the edge that starts at *cursor leads along name; *cursor moves behind its text. */
static bool edge_matches(const uint8_t **cursor, const uint8_t *end, const char *name,
                         size_t *length_ret) {
    bool matches = true;
    size_t length = 0;
    for (; *cursor < end && **cursor && length < LONGEST_EDGE; ++*cursor, length++)
        if (matches && (uint8_t)name[length] != **cursor)
            matches = false; /* a NUL in name ends the comparison, too */
    if (*cursor < end)
        ++*cursor;
    *length_ret = length;
    return matches;
}

/* Follows the edge along *name; both move on. False: there is none. */
static bool follow_edge(const uint8_t *trie, const uint8_t *end, const uint8_t **node,
                        const char **name) {
    if (*node >= end)
        return false;
    unsigned children = *(*node)++;
    for (unsigned i = 0; i < children; i++) {
        size_t length;
        uint64_t offset;
        bool matches = edge_matches(node, end, *name, &length);
        if (!take_uleb(node, end, &offset) || offset >= (size_t)(end - trie))
            return false;
        if (matches && length) {
            *name += length;
            *node = trie + offset;
            return true;
        }
    }
    return false;
}

/* Each edge takes at least one character of the name, so the walk ends. */
static bool find_in_trie(const uint8_t *trie, size_t size, const char *name, uint64_t *offset_ret) {
    const uint8_t *end = trie + size, *node = trie;
    for (;;) {
        uint64_t terminal_size, flags;
        if (!take_uleb(&node, end, &terminal_size) || terminal_size > (size_t)(end - node))
            return false;
        if (!*name) {
            return terminal_size && take_uleb(&node, end, &flags) &&
                   (flags & EXPORT_SYMBOL_FLAGS_KIND_MASK) == EXPORT_SYMBOL_FLAGS_KIND_REGULAR &&
                   !(flags & EXPORT_SYMBOL_FLAGS_REEXPORT) && take_uleb(&node, end, offset_ret);
        }
        node += terminal_size;
        if (!follow_edge(trie, end, &node, &name))
            return false;
    }
}

enum loupe_status loupe_image_exported(struct loupe_images *images, const struct loupe_image *image,
                                       const char *name, loupe_addr *ret) {
    char linker_name[256] = "_";
    size_t length = strlen(name);
    const uint8_t *trie = image->exports.hash ? loupe_images_bytes(images, image->exports.hash,
                                                                   image->exports.hash_size, 1)
                                              : NULL;
    if (!trie || length + 2 > sizeof(linker_name))
        return LOUPE_EFAULT;
    memcpy(linker_name + 1, name, length + 1);
    uint64_t offset;
    if (!find_in_trie(trie, image->exports.hash_size, linker_name, &offset))
        return LOUPE_EFAULT;
    *ret = image->exports.base + offset;
    return LOUPE_OK;
}

/* ---- All symbols: they stand in memory with the rest of the link-edit segment ---- */

void loupe_image_open(struct loupe_images *images, struct loupe_image *image) {
    struct contents contents;
    uint32_t flags;
    if (!read_contents(images, image->start, &contents, &flags) || !contents.symbols)
        return;
    const struct nlist_64 *symbols = loupe_images_bytes(
        images, contents.symbols, (size_t)contents.symbol_count * sizeof(*symbols),
        _Alignof(struct nlist_64));
    const char *strings = loupe_images_bytes(images, contents.strings, contents.strings_size, 1);
    if (symbols && strings)
        image->table = (struct loupe_symbol_table){.symbols = symbols,
                                                   .count = contents.symbol_count,
                                                   .strings = strings,
                                                   .strings_size = contents.strings_size};
}

bool loupe_image_symbol(const struct loupe_image *image, uint32_t number,
                        struct loupe_symbol *ret) {
    const struct loupe_symbol_table *table = &image->table;
    const struct nlist_64 *symbol = (const struct nlist_64 *)table->symbols + number;
    if ((symbol->n_type & N_STAB) || (symbol->n_type & N_TYPE) != N_SECT ||
        symbol->n_un.n_strx >= table->strings_size)
        return false;
    const char *name = table->strings + symbol->n_un.n_strx;
    const char *end = memchr(name, '\0', table->strings_size - symbol->n_un.n_strx);
    if (!end)
        return false;
    if (*name == '_')
        name++;
    *ret = (struct loupe_symbol){.address = symbol->n_value + image->bias,
                                 .name = {.bytes = name, .length = (size_t)(end - name)}};
    return end > name;
}

/* ---- Swift ---- */

static bool is_swifts_section(const struct section_64 *section) {
    static const char prefix[] = "__swift5_";
    return strncmp(section->sectname, prefix, sizeof(prefix) - 1) == 0;
}

/* Whether a segment has a section of Swift's; true if its sections do not fit into the command. */
static bool has_swift_sections(const struct segment_command_64 *segment) {
    const struct section_64 *sections = (const struct section_64 *)(const void *)(segment + 1);
    if (segment->nsects > (segment->cmdsize - sizeof(*segment)) / sizeof(*sections))
        return true;
    for (uint32_t i = 0; i < segment->nsects; i++)
        if (is_swifts_section(&sections[i]))
            return true;
    return false;
}

/* Who calls Swift's runtime is linked to one of its libraries, libswiftCore.dylib for one. */
static bool is_swifts_library(const struct load_command *command) {
    static const char prefix[] = "/libswift";
    const struct dylib_command *dylib = command_of_size(command, sizeof(*dylib));
    if (!dylib || dylib->dylib.name.offset >= command->cmdsize)
        return true;
    const char *name = (const char *)command + dylib->dylib.name.offset;
    size_t left = command->cmdsize - dylib->dylib.name.offset;
    for (; left >= sizeof(prefix) - 1 && *name; name++, left--)
        if (memcmp(name, prefix, sizeof(prefix) - 1) == 0)
            return true;
    return false;
}

bool loupe_image_may_have_swift(struct loupe_images *images, const struct loupe_image *image) {
    const struct mach_header_64 *header =
        loupe_images_bytes(images, image->start, sizeof(*header), COMMAND_ALIGNMENT);
    const uint8_t *cursor = header && header->sizeofcmds <= MAX_COMMANDS_SIZE
                                ? loupe_images_bytes(images, image->start + sizeof(*header),
                                                     header->sizeofcmds, COMMAND_ALIGNMENT)
                                : NULL;
    if (!cursor)
        return true;
    const uint8_t *end = cursor + header->sizeofcmds;
    const struct load_command *command;
    while ((command = next_command(&cursor, end))) {
        const struct segment_command_64 *segment = segment_of(command);
        bool is_link = command->cmd == LC_LOAD_DYLIB || command->cmd == LC_LOAD_WEAK_DYLIB ||
                       command->cmd == LC_REEXPORT_DYLIB;
        if (segment && has_swift_sections(segment))
            return true;
        if (is_link && is_swifts_library(command))
            return true;
    }
    return cursor != end;
}
