/* Core files of Linux: segments, notes, and pages that nobody wrote to. */
#include "core/linked_files.h"
#include "image/elf/elf_constants.h"

#include <string.h>

/* ---- Where things stand, in the 32-bit and in the 64-bit form ---- */

struct layout {
    uint8_t word, header_size, segments, sections, segment_size_at, segment_count_at, segment_size;
    struct {
        uint8_t flags, offset, address, file_size, memory_size;
    } segment;
    uint8_t section_info; /* in the header of a section */
};

static const struct layout layout_64 = {.word = 8,
                                        .header_size = 64,
                                        .segments = 32,
                                        .sections = 40,
                                        .segment_size_at = 54,
                                        .segment_count_at = 56,
                                        .segment_size = 56,
                                        .segment = {4, 8, 16, 32, 40},
                                        .section_info = 44};
static const struct layout layout_32 = {.word = 4,
                                        .header_size = 52,
                                        .segments = 28,
                                        .sections = 32,
                                        .segment_size_at = 42,
                                        .segment_count_at = 44,
                                        .segment_size = 32,
                                        .segment = {24, 4, 8, 16, 20},
                                        .section_info = 28};

enum { MACHINE_AT = 18 };

static const struct machine {
    uint16_t number;
    uint8_t word;
    enum loupe_arch arch;
    enum loupe_register_layout layout;
} machines[] = {
    {EM_X86_64, 8, LOUPE_ARCH_X86_64, LOUPE_REGISTERS_LINUX_X86_64},
    {EM_AARCH64, 8, LOUPE_ARCH_ARM64, LOUPE_REGISTERS_LINUX_ARM64},
    {EM_386, 4, LOUPE_ARCH_OTHER, LOUPE_REGISTERS_LINUX_I386},
    {EM_ARM, 4, LOUPE_ARCH_OTHER, LOUPE_REGISTERS_LINUX_ARM},
};

struct core {
    struct loupe_reader *reader;
    const struct loupe_core_file *file;
    const struct layout *layout;
    uint64_t segments; /* offset of their headers */
    uint32_t count;
};

struct segment {
    uint32_t kind, flags;
    uint64_t offset, address, file_size, memory_size;
};

static uint64_t word_at(const struct core *core, const uint8_t *bytes, unsigned offset) {
    return loupe_number_at(bytes, offset, core->layout->word);
}

/* ---- The header ---- */

static const struct machine *machine_of(const struct core *core) {
    unsigned number = (unsigned)loupe_number_at(core->file->bytes, MACHINE_AT, 2);
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        if (machines[i].number == number && machines[i].word == core->layout->word)
            return &machines[i];
    return NULL;
}

/* Cores with more segments than 16 bits can count have their number in a section's header. */
static uint32_t count_segments(const struct core *core) {
    const uint8_t *header = core->file->bytes;
    uint32_t count = (uint32_t)loupe_number_at(header, core->layout->segment_count_at, 2);
    if (count != PN_XNUM)
        return count;
    uint64_t section = word_at(core, header, core->layout->sections);
    const uint8_t *first = loupe_core_bytes(core->file, section, core->layout->header_size);
    return first ? (uint32_t)loupe_number_at(first, core->layout->section_info, 4) : count;
}

static enum loupe_status read_header(struct core *core, struct loupe_error *err) {
    const uint8_t *bytes = core->file->bytes;
    core->layout = bytes[EI_CLASS] == ELFCLASS64 ? &layout_64 : &layout_32;
    if (bytes[EI_DATA] != ELFDATA2LSB ||
        (bytes[EI_CLASS] != ELFCLASS64 && bytes[EI_CLASS] != ELFCLASS32))
        return loupe_fail(err, LOUPE_EUSAGE, 0,
                          "it is a core of a machine with another byte order");
    if (core->file->size < core->layout->header_size)
        return loupe_core_ends_in_header(err);
    const struct machine *machine = machine_of(core);
    if (!machine)
        return loupe_fail(err, LOUPE_EUSAGE, 0,
                          "it is a core of a machine that is not known (ELF's number %u, %u bits): "
                          "known are x86-64, aarch64, i386 and arm",
                          (unsigned)loupe_number_at(bytes, MACHINE_AT, 2), 8u * core->layout->word);
    core->reader->machine =
        (struct loupe_machine){.pointer_size = machine->word,
                               .arch = machine->arch,
                               .no_red_zone = machine->arch == LOUPE_ARCH_ARM64};
    core->segments = word_at(core, bytes, core->layout->segments);
    core->count = count_segments(core);
    if (loupe_number_at(bytes, core->layout->segment_size_at, 2) != core->layout->segment_size)
        return loupe_fail(err, LOUPE_EUSAGE, 0, "it is a core with a damaged header");
    return LOUPE_OK;
}

/* ---- Segments ---- */

/* False behind the end of the file. */
static bool read_segment(const struct core *core, uint32_t number, struct segment *ret) {
    const struct layout *layout = core->layout;
    const uint8_t *bytes =
        core->segments > core->file->size
            ? NULL
            : loupe_core_bytes(core->file, core->segments + (uint64_t)number * layout->segment_size,
                               layout->segment_size);
    if (!bytes)
        return false;
    *ret = (struct segment){.kind = (uint32_t)loupe_number_at(bytes, 0, 4),
                            .flags = (uint32_t)loupe_number_at(bytes, layout->segment.flags, 4),
                            .offset = word_at(core, bytes, layout->segment.offset),
                            .address = word_at(core, bytes, layout->segment.address),
                            .file_size = word_at(core, bytes, layout->segment.file_size),
                            .memory_size = word_at(core, bytes, layout->segment.memory_size)};
    return true;
}

static enum loupe_status take_memory(struct core *core, const struct segment *segment) {
    struct loupe_reader_region region = {.about = {.start = segment->address,
                                                   .end = segment->address + segment->memory_size,
                                                   .readable = segment->flags & PF_R,
                                                   .writable = segment->flags & PF_W},
                                         .executable = segment->flags & PF_X};
    return loupe_core_add_region(core->reader, core->file, region, segment->offset,
                                 segment->file_size);
}

static enum loupe_status take_segments(struct core *core, struct loupe_elf_notes *notes) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < core->count; i++) {
        struct segment segment;
        if (!read_segment(core, i, &segment)) {
            core->reader->missing.truncated = true;
            break;
        }
        if (segment.kind == PT_LOAD)
            status = take_memory(core, &segment);
        else if (segment.kind == PT_NOTE)
            status = loupe_elf_notes_take(core->reader, core->file, segment.offset,
                                          segment.file_size, notes);
    }
    return status;
}

/* ---- What follows from them ---- */

/* The kernel's own image, which is in no file. */
static enum loupe_status add_kernel_image(struct loupe_reader *reader, loupe_addr start) {
    const struct loupe_reader_region *region = loupe_reader_region(reader, start);
    if (!region)
        return LOUPE_OK;
    struct loupe_reader_mapping *added = loupe_vector_add(&reader->mappings);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_reader_mapping){
        .start = start, .end = region->about.end, .path = LOUPE_KERNEL_IMAGE};
    loupe_reader_sort_mappings(reader);
    return LOUPE_OK;
}

/* ---- Memory that nobody wrote to ---- */

static loupe_addr page_end(loupe_addr addr) {
    return (addr + LOUPE_PAGE_SIZE - 1) / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
}

/* What an image has in memory behind what its file has begins as zeroes. */
static bool find_zeroes(void *ctx, const struct loupe_segment *segment) {
    struct loupe_reader_region *region = ctx;
    region->is_zeroes = segment->writable &&
                        region->about.start >= page_end(segment->start + segment->file_size) &&
                        region->about.end <= page_end(segment->end);
    return !region->is_zeroes;
}

/*
 * The kernel gives a core no bytes of memory that nobody wrote to, which is no loss: it is known
 * where those of images have to be. Of others the program may have kept the bytes out of its cores
 * (MADV_DONTDUMP). Where no such memory was to be in the core (coredump_filter), a stack, that
 * surely was written to, is not there either.
 */
static void mark_zeroes(struct loupe_reader *reader, const struct loupe_reader_region *stack) {
    for (uint32_t i = 0; stack && stack->held && i < reader->regions.count; i++) {
        struct loupe_reader_region *region = loupe_reader_region_at(reader, i);
        loupe_addr start = region->about.start;
        bool is_left_out = region->about.writable && !region->held;
        const struct loupe_reader_image *image = is_left_out && !loupe_reader_mapping(reader, start)
                                                     ? loupe_reader_image(reader, start - 1)
                                                     : NULL;
        if (image)
            loupe_image_segments(&image->image, find_zeroes, region);
    }
}

/* ---- Signatures of arm64's addresses ---- */

/* How many bits addresses of programs have: so many the kernel was built for, and puts the first
 * stack a gigabyte at most below their end, or 48, above which no kernel puts anything unasked. */
static unsigned address_bits(const struct loupe_reader *reader, loupe_addr initial_stack) {
    static const unsigned built_for[] = {36, 39, 42, 47};
    const loupe_addr farthest = UINT64_C(1) << 31;
    unsigned bits = 48;
    for (unsigned i = 0; i < sizeof(built_for) / sizeof(built_for[0]); i++) {
        loupe_addr end = UINT64_C(1) << built_for[i];
        if (initial_stack < end && end - initial_stack < farthest)
            bits = built_for[i];
    }
    for (uint32_t i = 0; i < reader->regions.count; i++)
        while (bits < 55 && (loupe_reader_region_at(reader, i)->about.end - 1) >> bits)
            bits++;
    return bits;
}

/* As the kernel says, where the core has that. Else those that no address has, if the processor
 * signs: between the address and bit 55, which says whose it is. */
static uint64_t signature_bits(const struct loupe_reader *reader,
                               const struct loupe_elf_notes *notes) {
    enum { SIGNS = 1 << 30 };
    if (notes->signature_bits || reader->machine.arch != LOUPE_ARCH_ARM64 ||
        !(notes->processor & SIGNS))
        return notes->signature_bits;
    uint64_t below_bit_55 = (UINT64_C(1) << 55) - 1;
    return below_bit_55 & ~((UINT64_C(1) << address_bits(reader, notes->initial_stack)) - 1);
}

/* ---- All of it ---- */

static enum loupe_status take_everything(struct core *core, struct loupe_elf_notes *notes) {
    struct loupe_reader *reader = core->reader;
    enum loupe_status status = take_segments(core, notes);
    loupe_reader_sort_regions(reader);
    loupe_reader_sort_mappings(reader);
    reader->process = notes->process;
    reader->signature_bits = signature_bits(reader, notes);
    loupe_reader_put_first_thread_first(reader);
    reader->program_headers = notes->program_headers;
    struct loupe_reader_region *stack = loupe_reader_region(reader, notes->initial_stack);
    if (stack)
        stack->about.is_stack = true;
    loupe_reader_begin(reader);
    if (!status && !reader->mappings.count)
        status = loupe_elf_map_linked_files(reader, notes);
    if (!status)
        status = add_kernel_image(reader, notes->kernel_image);
    if (!status)
        status = loupe_reader_list_elf_images(reader);
    mark_zeroes(reader, stack);
    return status;
}

/* Whatever program ran wrote to some of its memory. */
static enum loupe_status check_memory(const struct loupe_reader *reader, struct loupe_error *err) {
    uint64_t bytes = 0;
    uint32_t regions = 0;
    if (!reader->regions.count)
        return loupe_core_has_no_memory(reader, err);
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        const struct loupe_reader_region *region = loupe_reader_region_at(reader, i);
        if (region->about.writable && region->held)
            return LOUPE_OK;
        regions += region->about.writable;
        bytes += region->about.writable ? region->about.end - region->about.start : 0;
    }
    if (!regions || reader->missing.truncated)
        return LOUPE_OK;
    return loupe_fail(err, LOUPE_EUSAGE, 0,
                      "it is a core without any memory that can be written: %u regions of %llu "
                      "bytes are not in it. Write 0x33 to /proc/PID/coredump_filter before, or use "
                      "gcore",
                      regions, (unsigned long long)bytes);
}

enum loupe_status loupe_elf_core_open(struct loupe_reader *reader,
                                      const struct loupe_core_file *file, struct loupe_error *err) {
    struct core core = {.reader = reader, .file = file};
    enum loupe_status status = read_header(&core, err);
    if (status)
        return status;
    struct loupe_elf_notes notes = {.word = core.layout->word, .layout = machine_of(&core)->layout};
    status = take_everything(&core, &notes);
    if (status)
        return loupe_reader_out_of_memory(err);
    return check_memory(reader, err);
}
