#include "drawn_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

static struct {
    struct loupe_process_region regions[MOST];
    unsigned region_count;
    struct {
        const char *path;
        unsigned first_section;
    } images[MOST];
    unsigned image_count;
    struct loupe_process_section sections[MOST];
    unsigned section_count;
    struct {
        uint64_t id;
        const char *name;
        unsigned first_register, first_frame;
        loupe_addr frames_end, variables_start, variables_end;
    } threads[MOST];
    unsigned thread_count;
    struct {
        const char *name;
        uint64_t value;
    } registers[MOST];
    unsigned register_count;
    struct loupe_process_frame frames[MOST];
    unsigned frame_count;
    unsigned broken;
} drawn;

static struct loupe_process_ops ops;

static unsigned next(unsigned *count) {
    if (*count == MOST) {
        fprintf(stderr, "drawn process: too much of it\n");
        abort();
    }
    return (*count)++;
}

/* ---- Drawing ---- */

void drawn_process_region(loupe_addr start, loupe_addr end) {
    drawn.regions[next(&drawn.region_count)] = (struct loupe_process_region){
        .start = start, .end = end, .readable = true, .writable = true};
}

void drawn_process_region_is_stack(void) {
    drawn.regions[drawn.region_count - 1].is_stack = true;
}

void drawn_process_region_is_read_only(void) {
    drawn.regions[drawn.region_count - 1].writable = false;
}

void drawn_process_regions_are_of_allocators(void) {
    for (unsigned i = 0; i < drawn.region_count; i++)
        drawn.regions[i].is_of_allocator = true;
}

void drawn_process_image(const char *path) {
    unsigned image = next(&drawn.image_count);
    drawn.images[image].path = path;
    drawn.images[image].first_section = drawn.section_count;
}

void drawn_process_section(const char *name, loupe_addr start, uint64_t size, bool writable) {
    drawn.sections[next(&drawn.section_count)] = (struct loupe_process_section){
        .name = name, .start = start, .size = size, .loaded = true, .writable = writable};
}

void drawn_process_section_is_not_loaded(void) {
    drawn.sections[drawn.section_count - 1].loaded = false;
}

void drawn_process_thread(uint64_t id) {
    unsigned thread = next(&drawn.thread_count);
    drawn.threads[thread].id = id;
    drawn.threads[thread].first_register = drawn.register_count;
    drawn.threads[thread].first_frame = drawn.frame_count;
    drawn.threads[thread].frames_end = 0;
}

void drawn_process_name(const char *name) {
    drawn.threads[drawn.thread_count - 1].name = name;
}

void drawn_process_variables(loupe_addr start, loupe_addr end) {
    drawn.threads[drawn.thread_count - 1].variables_start = start;
    drawn.threads[drawn.thread_count - 1].variables_end = end;
}

void drawn_process_register(const char *name, uint64_t value) {
    unsigned number = next(&drawn.register_count);
    drawn.registers[number].name = name;
    drawn.registers[number].value = value;
}

void drawn_process_frames_end(loupe_addr end) {
    drawn.threads[drawn.thread_count - 1].frames_end = end;
}

static enum loupe_status tell_frames(void *ctx, uint32_t thread, loupe_process_frame_visit visit,
                                     void *visitor) {
    unsigned end =
        thread + 1 < drawn.thread_count ? drawn.threads[thread + 1].first_frame : drawn.frame_count;
    enum loupe_status status = LOUPE_OK;
    (void)ctx;
    for (unsigned i = drawn.threads[thread].first_frame; !status && i < end; i++)
        status = visit(visitor, &drawn.frames[i]);
    return status;
}

void drawn_process_frame(loupe_addr place, loupe_addr end) {
    drawn.frames[next(&drawn.frame_count)] =
        (struct loupe_process_frame){.place = place, .end = end};
    ops.frames = tell_frames;
}

/* ---- Telling ---- */

static enum loupe_status tell_regions(void *ctx, loupe_region_visit visit, void *visitor) {
    enum loupe_status status = LOUPE_OK;
    (void)ctx;
    for (unsigned i = 0; !status && i < drawn.region_count; i++)
        status =
            i && drawn.broken & DRAWN_REGIONS ? LOUPE_EFAULT : visit(visitor, &drawn.regions[i]);
    return status;
}

static enum loupe_status tell_images(void *ctx, loupe_image_visit visit, void *visitor) {
    enum loupe_status status = LOUPE_OK;
    (void)ctx;
    for (unsigned i = 0; !status && i < drawn.image_count; i++)
        status = i && drawn.broken & DRAWN_IMAGES ? LOUPE_EFAULT
                                                  : visit(visitor, i, drawn.images[i].path);
    return status;
}

static enum loupe_status tell_sections(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                       void *visitor) {
    unsigned end =
        image + 1 < drawn.image_count ? drawn.images[image + 1].first_section : drawn.section_count;
    enum loupe_status status = LOUPE_OK;
    (void)ctx;
    for (unsigned i = drawn.images[image].first_section; !status && i < end; i++)
        status = visit(visitor, &drawn.sections[i]);
    return status;
}

static enum loupe_status tell_threads(void *ctx, loupe_thread_visit visit, void *visitor) {
    enum loupe_status status = LOUPE_OK;
    (void)ctx;
    for (unsigned i = 0; !status && i < drawn.thread_count; i++) {
        struct loupe_process_thread about = {.id = drawn.threads[i].id,
                                             .name = drawn.threads[i].name,
                                             .variables_start = drawn.threads[i].variables_start,
                                             .variables_end = drawn.threads[i].variables_end};
        status = i && drawn.broken & DRAWN_THREADS ? LOUPE_EFAULT : visit(visitor, i, &about);
    }
    return status;
}

static bool tell_register(void *ctx, uint32_t thread, const char *name, uint64_t *ret) {
    unsigned end = thread + 1 < drawn.thread_count ? drawn.threads[thread + 1].first_register
                                                   : drawn.register_count;
    (void)ctx;
    for (unsigned i = drawn.threads[thread].first_register; i < end; i++) {
        if (strcmp(drawn.registers[i].name, name) == 0) {
            *ret = drawn.registers[i].value;
            return true;
        }
    }
    return false;
}

static loupe_addr tell_frames_end(void *ctx, uint32_t thread) {
    (void)ctx;
    return drawn.threads[thread].frames_end;
}

void drawn_process_init(struct drawn_heap *heap) {
    memset(&drawn, 0, sizeof(drawn));
    ops = (struct loupe_process_ops){.regions = tell_regions,
                                     .images = tell_images,
                                     .sections = tell_sections,
                                     .threads = tell_threads,
                                     .thread_register = tell_register,
                                     .frames_end = tell_frames_end};
    heap->process = &ops;
}

void drawn_process_hide(unsigned parts) {
    if (parts & DRAWN_REGIONS)
        ops.regions = NULL;
    if (parts & DRAWN_IMAGES)
        ops.images = NULL;
    if (parts & DRAWN_THREADS)
        ops.threads = NULL;
}

void drawn_process_break(unsigned parts) {
    drawn.broken = parts;
}
