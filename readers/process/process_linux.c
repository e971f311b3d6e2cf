/* A process of Linux: stopped, its memory and registers copied, let go. */
#define _GNU_SOURCE

#include "linux/proc_maps.h"
#include "process/copies.h"
#include "process/kernel_words.h"
#include "process/page_map.h"
#include "process/proc_file.h"
#include "process/stop.h"
#include "target/parts.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef NT_ARM_PAC_MASK
#define NT_ARM_PAC_MASK 0x406
#endif

enum { PATH_SIZE = 64, VALUE_PROGRAM_HEADERS = 3 };

struct process {
    struct loupe_stopped stopped;
    int memory; /* /proc/TID/mem; -1: not opened */
    struct loupe_page_map *pages;
    uint64_t began, ended; /* by the clock, when it stood still; ended 0: it still does */
    struct loupe_copies copies;
    struct loupe_process_unread not_copied;
};

static struct process *process_of(const struct loupe_reader *reader) {
    return reader->own;
}

/* ---- Memory ---- */

static bool read_file_of_memory(const struct process *process, loupe_addr addr, void *dst,
                                size_t len) {
    return process->memory >= 0 && pread(process->memory, dst, len, (off_t)addr) == (ssize_t)len;
}

static enum loupe_status read_standing(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct loupe_reader *reader = ctx;
    struct iovec to = {.iov_base = dst, .iov_len = len};
    struct iovec from = {.iov_base = (void *)(uintptr_t)addr, .iov_len = len};
    ssize_t got = process_vm_readv((pid_t)reader->thread, &to, 1, &from, 1, 0);
    if (got == (ssize_t)len)
        return LOUPE_OK;
    bool is_refused = got < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES);
    return is_refused && read_file_of_memory(process_of(reader), addr, dst, len) ? LOUPE_OK
                                                                                 : LOUPE_EFAULT;
}

/* ---- How long it stands still ---- */

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static uint64_t pause_of(const struct loupe_reader *reader) {
    const struct process *process = process_of(reader);
    return (process->ended ? process->ended : now()) - process->began;
}

static bool is_over(const struct loupe_reader *reader) {
    const struct loupe_reader_options *options = &reader->options;
    return pause_of(reader) >= options->most_pause ||
           (options->interrupted && options->interrupted(options->interrupted_ctx));
}

static void note_not_copied(struct loupe_reader *reader, loupe_addr start, loupe_addr end) {
    struct process *process = process_of(reader);
    reader->missing.not_copied += end - start;
    if (!process->not_copied.bytes)
        process->not_copied = (struct loupe_process_unread){
            .reason = LOUPE_UNREAD_IN_TIME, .first = start, .is_loss = true};
    process->not_copied.bytes += end - start;
}

static void copy_region(struct loupe_reader *reader, const struct loupe_process_region *region) {
    struct process *process = process_of(reader);
    for (loupe_addr at = region->start, next; at < region->end; at = next) {
        loupe_addr most = region->end - at < LOUPE_COPY ? region->end : at + LOUPE_COPY;
        if (!loupe_page_map_is_present(process->pages, at, most, &next))
            continue;
        if (is_over(reader) ||
            loupe_copies_add(&process->copies, at, next, read_standing, reader) == LOUPE_ENOMEM)
            note_not_copied(reader, at, next);
    }
}

static void tell_stands(const struct loupe_reader *reader, bool stands) {
    if (reader->options.stands)
        reader->options.stands(stands);
}

static void let_go(struct loupe_reader *reader) {
    struct process *process = process_of(reader);
    if (process->ended)
        return;
    loupe_let_go(&process->stopped);
    process->ended = now();
    tell_stands(reader, false);
}

/* What it may write to changes when it runs on. */
static void keep_pause(struct loupe_reader *reader) {
    const struct process *process = process_of(reader);
    if (process->ended || !process->pages || !reader->options.most_pause ||
        pause_of(reader) < reader->options.most_pause / 2)
        return;
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        const struct loupe_process_region *region = &loupe_reader_region_at(reader, i)->about;
        if (region->readable && region->writable)
            copy_region(reader, region);
    }
    reader->missing.copied = process->copies.bytes;
    let_go(reader);
}

static enum loupe_status read_present(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct loupe_reader *reader = ctx;
    const struct process *process = process_of(reader);
    if (process->ended && loupe_copies_read(&process->copies, addr, dst, len))
        return LOUPE_OK;
    const struct loupe_reader_region *region =
        process->ended ? loupe_reader_region(reader, addr) : NULL;
    bool may_have_changed =
        process->ended && (!region || region->about.writable || len > region->about.end - addr);
    return may_have_changed ? LOUPE_EFAULT : read_standing(ctx, addr, dst, len);
}

static enum loupe_status read_process(void *ctx, loupe_addr addr, void *dst, size_t len) {
    keep_pause(ctx);
    return loupe_page_map_read(process_of(ctx)->pages, addr, dst, len, read_present, ctx);
}

static loupe_addr find_zeroes(void *ctx, loupe_addr addr) {
    return loupe_page_map_zeroes(process_of(ctx)->pages, addr);
}

static enum loupe_status visit_unread(const struct loupe_reader *reader, loupe_unread_visit visit,
                                      void *visitor) {
    const struct process *process = process_of(reader);
    enum loupe_status status = loupe_page_map_visit_unread(process->pages, visit, visitor);
    return status || !process->not_copied.bytes ? status : visit(visitor, &process->not_copied);
}

static bool find_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    const struct loupe_reader_region *region = loupe_reader_region(ctx, addr);
    if (!region || !region->about.readable)
        return false;
    *start_ret = region->about.start;
    *end_ret = region->about.end;
    return true;
}

/* ---- What is mapped ---- */

/* The kernel lets nobody read the clock's variables, though it calls them readable. */
static bool can_be_read(const struct loupe_proc_mapping *mapping) {
    return mapping->readable && !loupe_span_starts_with(mapping->path, "[vvar") &&
           !loupe_span_equals(mapping->path, "[vsyscall]");
}

static enum loupe_status take_mapping(struct loupe_reader *reader,
                                      const struct loupe_proc_mapping *mapping) {
    struct loupe_reader_region *region = loupe_vector_add(&reader->regions);
    if (!region)
        return LOUPE_ENOMEM;
    *region = (struct loupe_reader_region){
        .about = {.start = mapping->start,
                  .end = mapping->end,
                  .readable = can_be_read(mapping),
                  .writable = mapping->writable,
                  .is_stack = loupe_span_equals(mapping->path, "[stack]")},
        .executable = mapping->executable};
    bool is_file = mapping->inode && loupe_span_starts_with(mapping->path, "/");
    if (!is_file && !loupe_span_equals(mapping->path, LOUPE_KERNEL_IMAGE))
        return LOUPE_OK;
    struct loupe_reader_mapping *added = loupe_vector_add(&reader->mappings);
    char *path = loupe_arena_alloc(&reader->arena, mapping->path.length + 1);
    if (!added || !path)
        return LOUPE_ENOMEM;
    loupe_proc_maps_path(mapping->path, path);
    *added = (struct loupe_reader_mapping){
        .start = mapping->start, .end = mapping->end, .offset = mapping->offset, .path = path};
    return LOUPE_OK;
}

static enum loupe_status take_mappings(struct loupe_reader *reader, struct loupe_error *err) {
    char path[PATH_SIZE];
    size_t length;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)reader->thread);
    char *text = loupe_proc_read_whole(path, &length);
    const char *cursor = text;
    struct loupe_proc_mapping mapping;
    enum loupe_status status = LOUPE_OK;
    while (text && !status && loupe_proc_maps_next(&cursor, &mapping))
        status = take_mapping(reader, &mapping);
    free(text);
    if (status)
        return loupe_reader_out_of_memory(err);
    if (!length)
        return loupe_fail(
            err, LOUPE_EUSAGE, 0,
            "process %d has no memory that can be read: it has ended, or is a part of "
            "the kernel",
            (int)reader->process);
    return LOUPE_OK;
}

/* ---- Threads ---- */

static enum loupe_register_layout layout_of(size_t size) {
#if defined(__x86_64__)
    if (size == 27 * 8)
        return LOUPE_REGISTERS_LINUX_X86_64;
    return size == 17 * 4 ? LOUPE_REGISTERS_LINUX_I386 : LOUPE_REGISTERS_UNKNOWN;
#elif defined(__aarch64__)
    if (size == 34 * 8)
        return LOUPE_REGISTERS_LINUX_ARM64;
    return size == 18 * 4 ? LOUPE_REGISTERS_LINUX_ARM : LOUPE_REGISTERS_UNKNOWN;
#elif defined(__i386__)
    return size == 17 * 4 ? LOUPE_REGISTERS_LINUX_I386 : LOUPE_REGISTERS_UNKNOWN;
#elif defined(__arm__)
    return size == 18 * 4 ? LOUPE_REGISTERS_LINUX_ARM : LOUPE_REGISTERS_UNKNOWN;
#else
    (void)size;
    return LOUPE_REGISTERS_UNKNOWN;
#endif
}

static size_t read_registers(int id, int set, void *bytes, size_t size) {
    struct iovec room = {.iov_base = bytes, .iov_len = size};
    return ptrace(PTRACE_GETREGSET, id, (void *)(intptr_t)set, &room) ? 0 : room.iov_len;
}

static void take_registers(struct loupe_reader *reader, struct loupe_reader_thread *thread) {
    uint8_t bytes[512];
    size_t size = read_registers((int)thread->id, NT_PRSTATUS, bytes, sizeof(bytes));
    enum loupe_register_layout layout = layout_of(size);
    if (layout == LOUPE_REGISTERS_UNKNOWN)
        reader->missing.threads++;
    else
        loupe_registers_take(&thread->registers, layout, bytes, size);
#if defined(__aarch64__)
    uint64_t pointer, masks[2];
    if (read_registers((int)thread->id, NT_ARM_TLS, &pointer, sizeof(pointer)) == sizeof(pointer)) {
        thread->registers.has_thread_pointer = true;
        thread->registers.thread_pointer = pointer;
    }
    if (read_registers((int)thread->id, NT_ARM_PAC_MASK, masks, sizeof(masks)) == sizeof(masks))
        reader->signature_bits = masks[0];
#endif
}

/* "worker" of /proc/TID/comm. */
static void take_name(struct loupe_reader_thread *thread) {
    char path[64];
    size_t length;
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread->id);
    char *text = loupe_proc_read_whole(path, &length);
    for (size_t i = 0; text && i < length && i + 1 < sizeof(thread->name) && text[i] != '\n'; i++)
        thread->name[i] = text[i];
    free(text);
}

static enum loupe_status take_threads(struct loupe_reader *reader) {
    const struct loupe_stopped *stopped = &process_of(reader)->stopped;
    for (uint32_t i = 0; i < stopped->threads.count; i++) {
        const struct loupe_stopped_thread *known =
            loupe_vector_at(&stopped->threads, i, sizeof(*known));
        struct loupe_reader_thread *thread = loupe_vector_add(&reader->threads);
        if (!thread)
            return LOUPE_ENOMEM;
        *thread = (struct loupe_reader_thread){.id = (uint64_t)known->id};
        take_registers(reader, thread);
        take_name(thread);
    }
    loupe_reader_put_first_thread_first(reader);
    return LOUPE_OK;
}

/* ---- What machine it is, and where its executable ---- */

/* A process of 32 bits has registers of 32 bits. */
static struct loupe_machine machine_of(const struct loupe_reader *reader) {
    struct loupe_machine machine = {.pointer_size = sizeof(void *), .arch = LOUPE_ARCH_OTHER};
    const struct loupe_reader_thread *first =
        reader->threads.count ? loupe_vector_at(&reader->threads, 0, sizeof(*first)) : NULL;
    if (first && (first->registers.layout == LOUPE_REGISTERS_LINUX_I386 ||
                  first->registers.layout == LOUPE_REGISTERS_LINUX_ARM))
        machine.pointer_size = 4;
    else if (first && first->registers.layout == LOUPE_REGISTERS_LINUX_X86_64)
        machine.arch = LOUPE_ARCH_X86_64;
    else if (first && first->registers.layout == LOUPE_REGISTERS_LINUX_ARM64)
        machine.arch = LOUPE_ARCH_ARM64;
    machine.no_red_zone = machine.arch == LOUPE_ARCH_ARM64;
    return machine;
}

static void take_system_values(struct loupe_reader *reader) {
    char path[PATH_SIZE];
    size_t length, word = reader->machine.pointer_size;
    snprintf(path, sizeof(path), "/proc/%d/auxv", (int)reader->thread);
    char *bytes = loupe_proc_read_whole(path, &length);
    for (size_t at = 0; bytes && at + 2 * word <= length; at += 2 * word) {
        uint64_t kind = 0;
        memcpy(&kind, bytes + at, word);
        if (kind == VALUE_PROGRAM_HEADERS)
            memcpy(&reader->program_headers, bytes + at + word, word);
    }
    free(bytes);
}

/* ---- Opening ---- */

static void release(struct loupe_reader *reader) {
    struct process *process = process_of(reader);
    let_go(reader);
    loupe_copies_deinit(&process->copies);
    loupe_vector_deinit(&process->stopped.threads);
    loupe_page_map_close(process->pages);
    if (process->memory >= 0)
        close(process->memory);
    loupe_chunk_put(reader->options.chunks, process, sizeof(*process));
}

static enum loupe_status open_stopped(struct loupe_reader *reader, struct loupe_error *err) {
    char path[PATH_SIZE];
    struct process *process = process_of(reader);
    const struct loupe_stopped_thread *any =
        loupe_vector_at(&process->stopped.threads, 0, sizeof(*any));
    reader->thread = (uint64_t)any->id;
    enum loupe_status status = take_mappings(reader, err);
    if (status)
        return status;
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)reader->thread);
    process->memory = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/%d/root", (int)reader->thread);
    reader->root = loupe_reader_keep_text(reader, path, strlen(path));
    struct loupe_page_map_stop stop = {.wanted = reader->options.interrupted,
                                       .ctx = reader->options.interrupted_ctx};
    process->pages = loupe_page_map_open((int)reader->thread, reader->options.chunks, &stop);
    if (!reader->root || !process->pages || take_threads(reader))
        return loupe_reader_out_of_memory(err);
    reader->machine = machine_of(reader);
    take_system_values(reader);
    if (loupe_process_take_kernel_words(reader))
        return loupe_reader_out_of_memory(err);
    loupe_reader_begin(reader);
    return loupe_reader_list_elf_images(reader) ? loupe_reader_out_of_memory(err) : LOUPE_OK;
}

static enum loupe_status check_process(uint64_t process, struct loupe_error *err) {
    uint64_t group;
    if (process == (uint64_t)getpid())
        return loupe_fail(err, LOUPE_EUSAGE, 0, "process %d is this one", (int)process);
    if (access("/proc/self/status", R_OK))
        return loupe_fail(err, LOUPE_EUSAGE, 0, "/proc cannot be read, which tells of processes");
    if (process > INT32_MAX || !process || !loupe_proc_status((int)process, "Tgid", &group))
        return loupe_fail(err, LOUPE_EUSAGE, 0, "there is no process %llu",
                          (unsigned long long)process);
    if (group != process)
        return loupe_fail(err, LOUPE_EUSAGE, 0, "%d is a thread, of process %d", (int)process,
                          (int)group);
    return LOUPE_OK;
}

/* A fifth of a second for threads that wait in the kernel, or what is left of a shorter pause once
 * its memory is copied too. */
static uint64_t patience_of(const struct loupe_reader_options *options) {
    enum { LONGEST = 200000, SHARE = 4 };
    uint64_t share = options->most_pause / SHARE;
    return options->most_pause && share < LONGEST ? share : LONGEST;
}

enum loupe_status loupe_process_open(uint64_t number, const struct loupe_reader_options *options,
                                     struct loupe_reader **ret, struct loupe_error *err) {
    enum loupe_status status = check_process(number, err);
    if (status)
        return status;
    struct process *process = loupe_chunk_get(options->chunks, sizeof(*process));
    struct loupe_reader *reader = process ? loupe_reader_new(options) : NULL;
    if (!reader) {
        loupe_chunk_put(options->chunks, process, sizeof(*process));
        return loupe_reader_out_of_memory(err);
    }
    *process = (struct process){.stopped = {.process = (int)number,
                                            .interrupted = options->interrupted,
                                            .ctx = options->interrupted_ctx,
                                            .patience = patience_of(options)},
                                .memory = -1,
                                .began = now()};
    loupe_copies_init(&process->copies, options->chunks);
    loupe_vector_init(&process->stopped.threads, options->chunks,
                      sizeof(struct loupe_stopped_thread));
    reader->own = process;
    reader->release = release;
    reader->unread = visit_unread;
    reader->keep_pause = keep_pause;
    reader->pause = pause_of;
    reader->process = number;
    reader->ops.read = read_process;
    reader->ops.calls_are_cheap = true;
    reader->ops.region = find_region;
    reader->ops.zeroes = find_zeroes;
    tell_stands(reader, true);
    status = loupe_stop_process(&process->stopped, err);
    if (!status)
        status = open_stopped(reader, err);
    if (status) {
        loupe_reader_close(reader);
        return status;
    }
    *ret = reader;
    return LOUPE_OK;
}
