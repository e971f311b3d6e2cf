/* Cores of Darwin: a file of Mach-O with the process's memory in its segments. */
#include "core/core.h"
#include "core/macho_images.h"
#include "image/macho/macho_constants.h"

#include <string.h>

enum { HEADER = 32, MACHINE_AT = 4, COMMANDS_AT = 16, COMMANDS_SIZE_AT = 20, COMMAND_HEADER = 8 };
enum { SEGMENT_SIZE = 72, NOTE_SIZE = 40, OWNER_SIZE = 16 };

struct core {
    struct loupe_reader *reader;
    const struct loupe_core_file *file;
    struct loupe_macho_infos infos;
};

/* ---- Memory ---- */

static enum loupe_status take_segment(struct core *core, const uint8_t *bytes, uint32_t size) {
    if (size < SEGMENT_SIZE) {
        core->reader->missing.damaged_parts++;
        return LOUPE_OK;
    }
    uint64_t start = loupe_number_at(bytes, 24, 8), length = loupe_number_at(bytes, 32, 8);
    uint64_t offset = loupe_number_at(bytes, 40, 8), stored = loupe_number_at(bytes, 48, 8);
    unsigned protection = (unsigned)loupe_number_at(bytes, 60, 4);
    struct loupe_reader_region region = {
        /* Some writers of cores leave protections out, but store only what can be read. */
        .about = {.start = start,
                  .end = start + length,
                  .readable = protection & VM_PROT_READ || (stored && !protection),
                  .writable = protection & VM_PROT_WRITE},
        .executable = protection & VM_PROT_EXECUTE};
    return loupe_core_add_region(core->reader, core->file, region, offset, stored);
}

/* ---- Threads ---- */

/* The registers that a thread's command has, of which there may be several kinds, each after its
 * number and its size in words of 32 bits. */
static void take_registers(struct core *core, const uint8_t *bytes, uint32_t size,
                           struct loupe_reader_thread *thread) {
    bool is_arm = core->reader->machine.arch == LOUPE_ARCH_ARM64;
    for (uint32_t at = COMMAND_HEADER; size - at >= 8;) {
        uint32_t kind = (uint32_t)loupe_number_at(bytes, at, 4);
        uint64_t length = loupe_number_at(bytes, at + 4, 4) * 4;
        at += 8;
        if (length > size - at)
            return;
        bool is_wrapped = !is_arm && kind == x86_THREAD_STATE && length >= 8;
        if (is_wrapped && loupe_number_at(bytes, at, 4) == x86_THREAD_STATE64)
            loupe_registers_take(&thread->registers, LOUPE_REGISTERS_DARWIN_X86_64, bytes + at + 8,
                                 length - 8);
        else if (kind == (is_arm ? ARM_THREAD_STATE64 : x86_THREAD_STATE64))
            loupe_registers_take(&thread->registers,
                                 is_arm ? LOUPE_REGISTERS_DARWIN_ARM64
                                        : LOUPE_REGISTERS_DARWIN_X86_64,
                                 bytes + at, length);
        at += (uint32_t)length;
    }
}

/* They have no numbers of their own here: from 0 on. */
static enum loupe_status take_thread(struct core *core, const uint8_t *bytes, uint32_t size) {
    struct loupe_reader *reader = core->reader;
    struct loupe_reader_thread *thread = loupe_vector_add(&reader->threads);
    if (!thread)
        return LOUPE_ENOMEM;
    *thread = (struct loupe_reader_thread){.id = reader->threads.count - 1};
    take_registers(core, bytes, size, thread);
    if (thread->registers.layout == LOUPE_REGISTERS_UNKNOWN)
        reader->missing.threads++;
    return LOUPE_OK;
}

/* ---- Notes ---- */

static void take_note(struct core *core, const uint8_t *bytes, uint32_t size) {
    static const char owner[OWNER_SIZE] = "all image infos";
    if (size < NOTE_SIZE || memcmp(bytes + COMMAND_HEADER, owner, OWNER_SIZE) != 0)
        return;
    core->infos.offset = loupe_number_at(bytes, 24, 8);
    core->infos.size = loupe_number_at(bytes, 32, 8);
}

/* ---- All of it ---- */

static enum loupe_status take_command(struct core *core, const uint8_t *bytes, uint32_t kind,
                                      uint32_t size) {
    switch (kind) {
    case LC_SEGMENT_64:
        return take_segment(core, bytes, size);
    case LC_THREAD:
    case LC_UNIXTHREAD:
        return take_thread(core, bytes, size);
    case LC_NOTE:
        take_note(core, bytes, size);
        return LOUPE_OK;
    default:
        return LOUPE_OK;
    }
}

static enum loupe_status take_commands(struct core *core) {
    uint32_t count = (uint32_t)loupe_number_at(core->file->bytes, COMMANDS_AT, 4);
    uint64_t at = HEADER;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < count; i++) {
        const uint8_t *bytes = loupe_core_bytes(core->file, at, COMMAND_HEADER);
        uint32_t size = bytes ? (uint32_t)loupe_number_at(bytes, 4, 4) : 0;
        if (!bytes || !loupe_core_bytes(core->file, at, size)) {
            core->reader->missing.truncated = true;
            break;
        }
        if (size < COMMAND_HEADER) {
            core->reader->missing.damaged_parts++;
            break;
        }
        status = take_command(core, bytes, (uint32_t)loupe_number_at(bytes, 0, 4), size);
        at += size;
    }
    return status;
}

static enum loupe_status check_header(struct core *core, struct loupe_error *err) {
    const uint8_t *bytes = core->file->bytes;
    uint32_t machine = (uint32_t)loupe_number_at(bytes, MACHINE_AT, 4);
    if (core->file->size < HEADER)
        return loupe_core_ends_in_header(err);
    if (loupe_number_at(bytes, 0, 4) != MH_MAGIC_64 ||
        (machine != CPU_TYPE_X86_64 && machine != CPU_TYPE_ARM64))
        return loupe_fail(
            err, LOUPE_EUSAGE, 0,
            "it is a core of a machine that is not known (Mach-O's number 0x%x): known "
            "are x86_64 and arm64",
            machine);
    core->reader->is_darwin = true;
    core->reader->machine = (struct loupe_machine){
        .pointer_size = 8,
        .arch = machine == CPU_TYPE_ARM64 ? LOUPE_ARCH_ARM64 : LOUPE_ARCH_X86_64};
    return LOUPE_OK;
}

enum loupe_status loupe_macho_core_open(struct loupe_reader *reader,
                                        const struct loupe_core_file *file,
                                        struct loupe_error *err) {
    struct core core = {.reader = reader, .file = file};
    enum loupe_status status = check_header(&core, err);
    if (status)
        return status;
    status = take_commands(&core);
    loupe_reader_sort_regions(reader);
    loupe_reader_begin(reader);
    if (!status)
        status = loupe_macho_images_list(reader, file, &core.infos);
    if (status)
        return loupe_reader_out_of_memory(err);
    if (!reader->regions.count)
        return loupe_core_has_no_memory(reader, err);
    return LOUPE_OK;
}
