/* A target that was opened, as the core's memory. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include "base/sort.h"
#include "target/parts.h"

#include <string.h>
#include <time.h>

/* ---- What it knows ---- */

static bool region_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    const struct loupe_reader_region *one = a, *other = b;
    return one->about.start < other->about.start;
}

static bool mapping_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    const struct loupe_reader_mapping *one = a, *other = b;
    return one->start < other->start;
}

void loupe_reader_sort_regions(struct loupe_reader *reader) {
    uint32_t kept = 0;
    loupe_vector_sort(&reader->regions, region_before, NULL);
    for (uint32_t i = 0; i < reader->regions.count; i++) {
        struct loupe_reader_region region = *loupe_reader_region_at(reader, i);
        if (kept && region.about.start < loupe_reader_region_at(reader, kept - 1)->about.end)
            reader->missing.damaged_parts++;
        else
            *loupe_reader_region_at(reader, kept++) = region;
    }
    reader->regions.count = kept;
}

void loupe_reader_sort_mappings(struct loupe_reader *reader) {
    uint32_t kept = 0;
    loupe_vector_sort(&reader->mappings, mapping_before, NULL);
    for (uint32_t i = 0; i < reader->mappings.count; i++) {
        struct loupe_reader_mapping mapping = *loupe_reader_mapping_at(reader, i);
        if (kept && mapping.start < loupe_reader_mapping_at(reader, kept - 1)->end)
            reader->missing.damaged_parts++;
        else
            *loupe_reader_mapping_at(reader, kept++) = mapping;
    }
    reader->mappings.count = kept;
}

struct loupe_reader_region *loupe_reader_region(const struct loupe_reader *reader,
                                                loupe_addr addr) {
    uint32_t low = 0, high = reader->regions.count; /* the first that ends behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_reader_region_at(reader, middle)->about.end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    bool found =
        low < reader->regions.count && loupe_reader_region_at(reader, low)->about.start <= addr;
    return found ? loupe_reader_region_at(reader, low) : NULL;
}

struct loupe_reader_mapping *loupe_reader_mapping(const struct loupe_reader *reader,
                                                  loupe_addr addr) {
    uint32_t low = 0, high = reader->mappings.count; /* the first that ends behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loupe_reader_mapping_at(reader, middle)->end <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    bool found =
        low < reader->mappings.count && loupe_reader_mapping_at(reader, low)->start <= addr;
    return found ? loupe_reader_mapping_at(reader, low) : NULL;
}

static struct loupe_reader_thread *thread_at(const struct loupe_reader *reader, uint32_t index) {
    return loupe_vector_at(&reader->threads, index, sizeof(struct loupe_reader_thread));
}

void loupe_reader_put_first_thread_first(struct loupe_reader *reader) {
    uint32_t at = 0;
    while (at < reader->threads.count && thread_at(reader, at)->id != reader->process)
        at++;
    if (at == reader->threads.count)
        return;
    struct loupe_reader_thread first = *thread_at(reader, at);
    for (; at; at--)
        *thread_at(reader, at) = *thread_at(reader, at - 1);
    *thread_at(reader, 0) = first;
}

/* ---- What the core asks ---- */

static uint64_t microseconds(void *ctx) {
    (void)ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool interrupted(void *ctx) {
    struct loupe_reader *reader = ctx;
    const struct loupe_reader_options *options = &reader->options;
    if (reader->keep_pause)
        reader->keep_pause(reader);
    return options->interrupted && options->interrupted(options->interrupted_ctx);
}

static uint64_t paused(void *ctx) {
    return loupe_reader_pause(ctx);
}

static enum loupe_status find_symbol(void *ctx, const char *name, loupe_addr *ret) {
    return loupe_reader_find_symbol(ctx, name, ret);
}

static enum loupe_status name_address(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                      uint64_t *offset_ret) {
    return loupe_reader_name_address(ctx, addr, dst, cap, offset_ret);
}

static bool line_of_address(void *ctx, loupe_addr addr, char *path, size_t cap,
                            uint32_t *line_ret) {
    return loupe_reader_line(ctx, addr, path, cap, line_ret);
}

static bool line_of_ivar(void *ctx, struct loupe_span class_name, struct loupe_span ivar,
                         char *path, size_t cap, uint32_t *line_ret) {
    return loupe_reader_ivar_line(ctx, class_name, ivar, path, cap, line_ret);
}

static enum loupe_status visit_regions(void *ctx, loupe_region_visit visit, void *visitor) {
    const struct loupe_reader *reader = ctx;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < reader->regions.count; i++)
        status = visit(visitor, &loupe_reader_region_at(reader, i)->about);
    return status;
}

static enum loupe_status visit_images(void *ctx, loupe_image_visit visit, void *visitor) {
    const struct loupe_reader *reader = ctx;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < reader->images.count; i++)
        status = visit(visitor, i, loupe_reader_image_at(reader, i)->path);
    return !status && reader->missing.shared_images ? LOUPE_EFAULT : status;
}

static enum loupe_status visit_sections(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                        void *visitor) {
    const struct loupe_reader *reader = ctx;
    return loupe_image_visit_parts(&loupe_reader_image_at(reader, image)->image, visit, visitor);
}

static enum loupe_status visit_threads(void *ctx, loupe_thread_visit visit, void *visitor) {
    const struct loupe_reader *reader = ctx;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < reader->threads.count; i++) {
        const struct loupe_reader_thread *thread = thread_at(reader, i);
        struct loupe_process_thread about = {.id = thread->id,
                                             .name = thread->name[0] ? thread->name : NULL};
        status = visit(visitor, i, &about);
    }
    return !status && (reader->missing.threads || !reader->threads.count) ? LOUPE_EFAULT : status;
}

static bool thread_register(void *ctx, uint32_t thread, const char *name, uint64_t *ret) {
    const struct loupe_reader *reader = ctx;
    return loupe_registers_find(&thread_at(reader, thread)->registers, name, ret);
}

static enum loupe_status visit_frames(void *ctx, uint32_t thread, loupe_process_frame_visit visit,
                                      void *visitor) {
    return loupe_reader_visit_frames(ctx, thread_at(ctx, thread), visit, visitor);
}

static enum loupe_status visit_kernel_words(void *ctx, loupe_kernel_word_visit visit,
                                            void *visitor) {
    const struct loupe_reader *reader = ctx;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < reader->kernel_words.count; i++)
        status = visit(visitor, loupe_vector_at(&reader->kernel_words, i,
                                                sizeof(struct loupe_process_kernel_word)));
    return !status && !reader->kernel_words_told ? LOUPE_EFAULT : status;
}

static enum loupe_status visit_unread(void *ctx, loupe_unread_visit visit, void *visitor) {
    const struct loupe_reader *reader = ctx;
    return reader->unread ? reader->unread(reader, visit, visitor) : LOUPE_OK;
}

/* An arm64 address has a tag in its first byte; Apple's systems sign with all bits that 47 leave,
 * and bit 55 says what these have been. */
static loupe_addr strip_arm64(void *ctx, loupe_addr addr) {
    const struct loupe_reader *reader = ctx;
    const loupe_addr tag = UINT64_C(0xff) << 56, low_bits = (UINT64_C(1) << 47) - 1;
    if (!reader->is_darwin)
        return addr & ~(tag | reader->signature_bits);
    return addr & (UINT64_C(1) << 55) ? addr | ~low_bits : addr & low_bits;
}

static const struct loupe_process_ops process_ops = {
    .regions = visit_regions,
    .images = visit_images,
    .sections = visit_sections,
    .threads = visit_threads,
    .thread_register = thread_register,
    .frames = visit_frames,
    .kernel_words = visit_kernel_words,
    .unread = visit_unread,
    .paused = paused,
};

static const struct loupe_reader_ops common_ops = {
    .find_symbol = find_symbol,
    .name_address = name_address,
    .line_of_address = line_of_address,
    .line_of_ivar = line_of_ivar,
    .interrupted = interrupted,
    .microseconds = microseconds,
    .process = &process_ops,
};

/* ---- Its life ---- */

struct loupe_reader *loupe_reader_new(const struct loupe_reader_options *options) {
    const struct loupe_chunk_ops *chunks = options->chunks;
    struct loupe_reader *reader = loupe_chunk_get(chunks, sizeof(*reader));
    if (!reader)
        return NULL;
    *reader = (struct loupe_reader){.options = *options, .ops = common_ops, .root = ""};
    loupe_arena_init(&reader->arena, chunks);
    loupe_vector_init(&reader->regions, chunks, sizeof(struct loupe_reader_region));
    loupe_vector_init(&reader->mappings, chunks, sizeof(struct loupe_reader_mapping));
    loupe_vector_init(&reader->threads, chunks, sizeof(struct loupe_reader_thread));
    loupe_vector_init(&reader->images, chunks, sizeof(struct loupe_reader_image));
    loupe_vector_init(&reader->files, chunks, sizeof(struct loupe_reader_file *));
    loupe_vector_init(&reader->kernel_words, chunks, sizeof(struct loupe_process_kernel_word));
    loupe_reader_begin(reader);
    return reader;
}

void loupe_reader_begin(struct loupe_reader *reader) {
    if (reader->machine.arch == LOUPE_ARCH_ARM64)
        reader->ops.strip = strip_arm64;
    loupe_memory_init(&reader->memory, &reader->ops, reader, reader->machine,
                      reader->options.chunks);
    loupe_memory_init(&reader->images_memory, &reader->ops, reader, reader->machine,
                      reader->options.chunks);
}

const char *loupe_reader_keep_text(struct loupe_reader *reader, const char *bytes, size_t length) {
    return loupe_arena_copy_string(&reader->arena,
                                   (struct loupe_span){.bytes = bytes, .length = length});
}

void loupe_reader_close(struct loupe_reader *reader) {
    if (!reader)
        return;
    if (reader->release)
        reader->release(reader);
    loupe_memory_deinit(&reader->memory);
    loupe_memory_deinit(&reader->images_memory);
    loupe_reader_free_images(reader);
    loupe_reader_close_files(reader);
    loupe_vector_deinit(&reader->regions);
    loupe_vector_deinit(&reader->mappings);
    loupe_vector_deinit(&reader->threads);
    loupe_vector_deinit(&reader->images);
    loupe_vector_deinit(&reader->files);
    loupe_vector_deinit(&reader->kernel_words);
    loupe_arena_deinit(&reader->arena);
    loupe_chunk_put(reader->options.chunks, reader, sizeof(*reader));
}

uint64_t loupe_reader_pause(const struct loupe_reader *reader) {
    return reader->pause ? reader->pause(reader) : 0;
}

struct loupe_memory *loupe_reader_memory(struct loupe_reader *reader) {
    return &reader->memory;
}

const struct loupe_reader_missing *loupe_reader_missing(const struct loupe_reader *reader) {
    return &reader->missing;
}

const char *loupe_reader_program(const struct loupe_reader *reader) {
    const char *path = reader->images.count ? loupe_reader_image_at(reader, 0)->path : "";
    return *path ? path : NULL;
}

struct loupe_image_id loupe_reader_build(const struct loupe_reader *reader) {
    return reader->images.count ? loupe_reader_image_at(reader, 0)->image.id
                                : (struct loupe_image_id){.length = 0};
}

uint64_t loupe_reader_process(const struct loupe_reader *reader) {
    return reader->process;
}
