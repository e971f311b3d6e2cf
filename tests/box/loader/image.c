#include "image.h"

#include "../kernel/map.h"
#include "counters.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void box_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("box: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* ---- Load commands ---- */

static void note_library(struct box_image *image, const struct macho_dylib *command) {
    if (image->library_count == BOX_MOST_LIBRARIES)
        box_fail("%s needs too many libraries", image->path);
    image->libraries[image->library_count++] = (struct box_library){
        .name = (const char *)command + command->name_offset, .kind = command->kind};
}

static void note_rpath(struct box_image *image, const struct macho_rpath *command) {
    if (image->rpath_count == BOX_MOST_RPATHS)
        box_fail("%s has too many run paths", image->path);
    image->rpaths[image->rpath_count++] = (const char *)command + command->path_offset;
}

static void note_segment(struct box_image *image, const struct macho_segment *command) {
    if (image->segment_count == BOX_MOST_SEGMENTS)
        box_fail("%s has too many segments", image->path);
    image->segments[image->segment_count++] = command;
}

static void note_command(struct box_image *image, const struct macho_command *command) {
    const void *at = command;
    switch (command->kind) {
    case MACHO_SEGMENT:
        note_segment(image, at);
        break;
    case MACHO_LOAD_DYLIB:
    case (uint32_t)MACHO_LOAD_WEAK:
    case (uint32_t)MACHO_REEXPORT:
    case (uint32_t)MACHO_UPWARD:
        note_library(image, at);
        break;
    case MACHO_ID_DYLIB:
        image->install_name = (const char *)at + ((const struct macho_dylib *)at)->name_offset;
        break;
    case (uint32_t)MACHO_RPATH:
        note_rpath(image, at);
        break;
    case MACHO_SYMTAB:
        image->symtab = at;
        break;
    case (uint32_t)MACHO_MAIN:
        image->main = at;
        break;
    case MACHO_DYLD_INFO:
    case (uint32_t)MACHO_DYLD_INFO_ONLY:
        image->opcodes = at;
        break;
    default:
        break;
    }
}

/* What needs the segments to be mapped. */
static void note_linkedit(struct box_image *image, const struct macho_command *command) {
    const struct macho_data *data = (const void *)command;
    const struct macho_dyld_info *opcodes = (const void *)command;
    struct box_part *part = command->kind == (uint32_t)MACHO_EXPORTS_TRIE     ? &image->exports
                            : command->kind == (uint32_t)MACHO_CHAINED_FIXUPS ? &image->chains
                                                                              : NULL;
    if (part && data->data_size)
        *part = (struct box_part){box_image_linkedit(image, data->offset, data->data_size),
                                  data->data_size};
    if (image->opcodes == opcodes && opcodes->exports_size)
        image->exports =
            (struct box_part){box_image_linkedit(image, opcodes->exports, opcodes->exports_size),
                              opcodes->exports_size};
}

static void visit_commands(struct box_image *image,
                           void (*visit)(struct box_image *image,
                                         const struct macho_command *command)) {
    const char *at = (const char *)(image->header + 1);
    for (uint32_t i = 0; i < image->header->commands; i++) {
        const struct macho_command *command = (const void *)at;
        visit(image, command);
        at += command->size;
    }
}

/* ---- Segments ---- */

static void check_header(const char *path, const struct macho_header *header) {
    if (header->magic != (uint32_t)MACHO_MAGIC)
        box_fail("%s is no Mach-O file of 64 bits", path);
    if (header->type != MACHO_EXECUTE && header->type != MACHO_DYLIB &&
        header->type != MACHO_BUNDLE)
        box_fail("%s is neither a program nor a library", path);
}

static bool is_page_zero(const struct macho_segment *segment) {
    return !segment->protection && !segment->file_size && !segment->most_protection;
}

static void measure(struct box_image *image) {
    image->start = UINT64_MAX;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct macho_segment *segment = image->segments[i];
        uint64_t end = box_page_up(segment->address + segment->memory_size);
        if (is_page_zero(segment))
            continue;
        image->start = segment->address < image->start ? segment->address : image->start;
        image->end = end > image->end ? end : image->end;
    }
}

/* Where the next image outside of the shared region goes: where a program of Darwin begins. */
static uint64_t take_room(uint64_t size) {
    static uint64_t next = 0x104000000;
    uint64_t place = next;
    next = box_page_up(next + size + box_page_size);
    if (mmap((void *)place, size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) != (void *)place)
        box_fail("address %#llx is taken", (unsigned long long)place);
    return place;
}

static void map_bytes(const struct box_image *image, const struct macho_segment *segment,
                      int file) {
    const int writable = PROT_READ | PROT_WRITE;
    uint8_t *start = box_image_at(image, segment->address);
    uint64_t in_file = box_page_up(segment->file_size), size = box_page_up(segment->memory_size);
    if (in_file && mmap(start, segment->file_size, writable, MAP_PRIVATE | MAP_FIXED, file,
                        (off_t)segment->file_offset) == MAP_FAILED)
        box_fail("cannot map segment %.16s of %s", segment->name, image->path);
    if (size > in_file && mmap(start + in_file, size - in_file, writable,
                               MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
        box_fail("no memory for segment %.16s of %s", segment->name, image->path);
}

/* Writable until all is bound. */
static void map_segments(const struct box_image *image, int file) {
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct macho_segment *segment = image->segments[i];
        if (is_page_zero(segment) || !segment->memory_size)
            continue;
        map_bytes(image, segment, file);
        box_counters_share(image, segment);
        uint64_t start = (uint64_t)(uintptr_t)box_image_at(image, segment->address);
        box_map_enter(&(struct box_entry){.start = start,
                                          .end = start + box_page_up(segment->memory_size),
                                          .protection = (int)segment->protection,
                                          .most = (int)segment->most_protection,
                                          .offset = segment->file_offset,
                                          .is_file = true});
    }
}

void box_image_protect(const struct box_image *image) {
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct macho_segment *segment = image->segments[i];
        bool is_constant = segment->flags & MACHO_READ_ONLY_WHEN_BOUND;
        uint32_t wanted = is_constant ? BOX_PROT_READ : segment->protection;
        int protection = (wanted & BOX_PROT_READ ? PROT_READ : 0) |
                         (wanted & BOX_PROT_WRITE ? PROT_WRITE : 0) |
                         (wanted & BOX_PROT_EXECUTE ? PROT_EXEC : 0);
        uint64_t size = box_page_up(segment->memory_size);
        uint8_t *start = box_image_at(image, segment->address);
        if (is_page_zero(segment) || !size)
            continue;
        if (mprotect(start, size, protection))
            box_fail("cannot protect segment %.16s of %s", segment->name, image->path);
        if (is_constant)
            box_map_change((uintptr_t)start, (uintptr_t)start + size, BOX_PROT_READ,
                           (int)segment->most_protection);
    }
}

/* ---- The whole ---- */

static void take_commands(struct box_image *image, struct macho_header *header) {
    image->header = header;
    image->segment_count = image->library_count = image->rpath_count = 0;
    visit_commands(image, note_command);
}

/* First from the file, to know how much memory it takes; then where it stands for good. */
static void load(struct box_image *image, struct macho_header *in_file, int file, bool in_cache) {
    check_header(image->path, in_file);
    take_commands(image, in_file);
    measure(image);
    uint64_t first = image->start, size = image->end - image->start;
    image->start = in_cache ? box_shared_region_take(size) : take_room(size);
    image->end = image->start + size;
    image->slide = (intptr_t)(image->start - first);
    map_segments(image, file);
    take_commands(image, (struct macho_header *)(uintptr_t)image->start);
    if (in_cache)
        image->header->flags |= (uint32_t)MACHO_IN_SHARED_CACHE;
    visit_commands(image, note_linkedit);
}

struct box_image *box_image_map(const char *path, bool in_cache) {
    struct box_image *image = calloc(1, sizeof(*image));
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (!image || file < 0 || fstat(file, &about))
        box_fail("cannot open %s", path);
    struct macho_header *header =
        mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (header == MAP_FAILED)
        box_fail("cannot read %s", path);
    image->path = strdup(path);
    load(image, header, file, in_cache);
    munmap(header, (size_t)about.st_size);
    close(file);
    return image;
}

/* ---- Questions ---- */

void *box_image_at(const struct box_image *image, uint64_t address) {
    return (void *)(uintptr_t)(address + (uint64_t)image->slide);
}

bool box_image_holds(const struct box_image *image, uint64_t address) {
    return address >= image->start && address < image->end;
}

const uint8_t *box_image_linkedit(const struct box_image *image, uint64_t offset, uint64_t size) {
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct macho_segment *segment = image->segments[i];
        if (offset >= segment->file_offset &&
            offset - segment->file_offset + size <= segment->file_size)
            return box_image_at(image, segment->address + offset - segment->file_offset);
    }
    box_fail("%s has no bytes at %#llx", image->path, (unsigned long long)offset);
}

static bool is_of_kind(const struct macho_section *section, uint32_t kind) {
    return (section->flags & MACHO_SECTION_KIND) == kind ||
           (kind == MACHO_INTERPOSING &&
            strncmp(section->name, "__interpose", sizeof(section->name)) == 0);
}

void box_image_sections(const struct box_image *image, uint32_t kind, box_section_visit *visit,
                        void *ctx) {
    for (unsigned i = 0; i < image->segment_count; i++) {
        const struct macho_section *sections = (const void *)(image->segments[i] + 1);
        for (uint32_t j = 0; j < image->segments[i]->sections; j++)
            if (is_of_kind(&sections[j], kind))
                visit(image, &sections[j], ctx);
    }
}
