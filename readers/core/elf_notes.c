#include "core/elf_notes.h"

#include "image/elf/elf_constants.h"

#include <string.h>

enum { NOTE_HEADER = 12 };

struct note {
    uint32_t kind;
    const uint8_t *bytes;
    uint64_t size;
};

/* struct elf_prstatus: where the number of the thread stands, and its registers. */
struct thread_layout {
    uint8_t number, registers;
    uint16_t size;
};

static struct thread_layout thread_layout_of(const struct loupe_elf_notes *notes) {
    static const uint16_t sizes[] = {[LOUPE_REGISTERS_LINUX_X86_64] = 27 * 8,
                                     [LOUPE_REGISTERS_LINUX_ARM64] = 34 * 8,
                                     [LOUPE_REGISTERS_LINUX_I386] = 17 * 4,
                                     [LOUPE_REGISTERS_LINUX_ARM] = 18 * 4};
    return (struct thread_layout){.number = notes->word == 8 ? 32 : 24,
                                  .registers = notes->word == 8 ? 112 : 72,
                                  .size = sizes[notes->layout]};
}

static uint64_t word_at(const struct loupe_elf_notes *notes, const uint8_t *bytes,
                        uint64_t offset) {
    return loupe_number_at(bytes + offset, 0, notes->word);
}

/* ---- Threads ---- */

static enum loupe_status take_thread(struct loupe_reader *reader, const struct note *note,
                                     const struct loupe_elf_notes *notes) {
    struct thread_layout layout = thread_layout_of(notes);
    if (note->size < layout.number + 4u) {
        reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    struct loupe_reader_thread *thread = loupe_vector_add(&reader->threads);
    if (!thread)
        return LOUPE_ENOMEM;
    *thread = (struct loupe_reader_thread){.id = loupe_number_at(note->bytes, layout.number, 4)};
    uint64_t left = note->size > layout.registers ? note->size - layout.registers : 0;
    if (!layout.size || left < layout.size)
        reader->missing.threads++;
    else
        loupe_registers_take(&thread->registers, notes->layout, note->bytes + layout.registers,
                             layout.size);
    return LOUPE_OK;
}

/* It follows the note about the thread. */
static void take_thread_pointer(struct loupe_reader *reader, const struct note *note) {
    if (!reader->threads.count || note->size < 8)
        return;
    struct loupe_reader_thread *thread =
        loupe_vector_at(&reader->threads, reader->threads.count - 1, sizeof(*thread));
    thread->registers.has_thread_pointer = true;
    thread->registers.thread_pointer = loupe_number_at(note->bytes, 0, 8);
}

/* ---- The process ---- */

/* struct elf_prpsinfo: four letters, flags, who owns it, with 16 or 32 bits each. */
static void take_process(const struct note *note, struct loupe_elf_notes *notes) {
    unsigned at = notes->word == 8 ? 24 : 12;
    if (note->size >= at + 4)
        notes->process = loupe_number_at(note->bytes, at, 4);
}

static void take_system_values(const struct note *note, struct loupe_elf_notes *notes) {
    for (uint64_t at = 0; note->size - at >= 2u * notes->word; at += 2u * notes->word) {
        uint64_t value = word_at(notes, note->bytes, at + notes->word);
        switch (word_at(notes, note->bytes, at)) {
        case AT_PHDR:
            notes->program_headers = value;
            break;
        case AT_HWCAP:
            notes->processor = value;
            break;
        case AT_RANDOM:
            notes->initial_stack = value;
            break;
        case AT_EXECFN:
            notes->program_name = value;
            break;
        case AT_SYSINFO_EHDR:
            notes->kernel_image = value;
            break;
        default:
            break;
        }
    }
}

/* ---- Files: a count, the size of a page, where each stands, then their names in that order ----
 */

static enum loupe_status add_mapping(struct loupe_reader *reader,
                                     struct loupe_reader_mapping mapping, struct loupe_span name) {
    struct loupe_reader_mapping *added = loupe_vector_add(&reader->mappings);
    if (!added)
        return LOUPE_ENOMEM;
    /* Parts of one file stand side by side. */
    const struct loupe_reader_mapping *before =
        reader->mappings.count > 1 ? loupe_reader_mapping_at(reader, reader->mappings.count - 2)
                                   : NULL;
    mapping.path = before && loupe_span_equals(name, before->path)
                       ? before->path
                       : loupe_reader_keep_text(reader, name.bytes, name.length);
    *added = mapping;
    return mapping.path ? LOUPE_OK : LOUPE_ENOMEM;
}

static enum loupe_status take_files(struct loupe_reader *reader, const struct note *note,
                                    const struct loupe_elf_notes *notes) {
    unsigned word = notes->word;
    uint64_t count = note->size >= 2 * word ? word_at(notes, note->bytes, 0) : 0;
    uint64_t page = count ? word_at(notes, note->bytes, word) : 0;
    if (!count || count > (note->size - 2 * word) / (3 * word)) {
        reader->missing.damaged_parts += count != 0;
        return LOUPE_OK;
    }
    const char *name = (const char *)note->bytes + (2 + 3 * count) * word;
    const char *end = (const char *)note->bytes + note->size;
    enum loupe_status status = LOUPE_OK;
    for (uint64_t i = 0; !status && i < count; i++) {
        uint64_t at = (2 + 3 * i) * word;
        const char *name_end = memchr(name, '\0', (size_t)(end - name));
        struct loupe_reader_mapping mapping = {
            .start = word_at(notes, note->bytes, at),
            .end = word_at(notes, note->bytes, at + word),
            .offset = word_at(notes, note->bytes, at + 2 * word) * page};
        if (!name_end || mapping.end <= mapping.start) {
            reader->missing.damaged_parts++;
            return status;
        }
        status =
            add_mapping(reader, mapping,
                        (struct loupe_span){.bytes = name, .length = (size_t)(name_end - name)});
        name = name_end + 1;
    }
    return status;
}

/* ---- All of them ---- */

static enum loupe_status take_note(struct loupe_reader *reader, const struct note *note,
                                   struct loupe_elf_notes *notes) {
    switch (note->kind) {
    case NT_PRSTATUS:
        return take_thread(reader, note, notes);
    case NT_FILE:
        return take_files(reader, note, notes);
    case NT_PRPSINFO:
        take_process(note, notes);
        return LOUPE_OK;
    case NT_AUXV:
        take_system_values(note, notes);
        return LOUPE_OK;
    case NT_ARM_TLS:
        take_thread_pointer(reader, note);
        return LOUPE_OK;
    case NT_ARM_PAC_MASK:
        if (note->size >= 8)
            notes->signature_bits = loupe_number_at(note->bytes, 0, 8);
        return LOUPE_OK;
    default:
        return LOUPE_OK;
    }
}

static uint64_t rounded(uint64_t size) {
    return (size + 3) / 4 * 4;
}

enum loupe_status loupe_elf_notes_take(struct loupe_reader *reader,
                                       const struct loupe_core_file *file, uint64_t offset,
                                       uint64_t size, struct loupe_elf_notes *notes) {
    enum loupe_status status = LOUPE_OK;
    if (!loupe_core_bytes(file, offset, size)) {
        reader->missing.truncated = true;
        size = offset < file->size ? file->size - offset : 0;
    }
    /* Cap: the rest holds no note. */
    for (uint64_t at = 0; !status && size - at >= NOTE_HEADER;) {
        const uint8_t *header = file->bytes + offset + at;
        uint64_t name = rounded(loupe_number_at(header, 0, 4)),
                 text = loupe_number_at(header, 4, 4);
        if (name > size - at - NOTE_HEADER || text > size - at - NOTE_HEADER - name) {
            reader->missing.damaged_parts++;
            break;
        }
        struct note note = {.kind = (uint32_t)loupe_number_at(header, 8, 4),
                            .bytes = header + NOTE_HEADER + name,
                            .size = text};
        bool is_systems = (name == 8 && (memcmp(header + NOTE_HEADER, "CORE", 5) == 0 ||
                                         memcmp(header + NOTE_HEADER, "LINUX", 6) == 0));
        if (is_systems)
            status = take_note(reader, &note, notes);
        text = rounded(text);
        at += NOTE_HEADER + name;
        at = text < size - at ? at + text : size;
    }
    return status;
}
