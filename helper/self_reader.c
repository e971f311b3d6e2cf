#include "self_reader.h"

#include "kernel/kernel.h"
#include "kernel/kernel_words.h"
#include "memory/machine.h"
#include "memory/zones.h"
#include "threads/threads.h"
#include "unwind/unwind.h"

static enum loupe_status read_self(void *ctx, loupe_addr addr, void *dst, size_t len) {
    struct loupe_self *self = ctx;
    return loupe_regions_read(&self->regions, addr, dst, len);
}

static loupe_addr zeroes_of_self(void *ctx, loupe_addr addr) {
    struct loupe_self *self = ctx;
    return loupe_regions_zeroes(&self->regions, addr);
}

static bool window_of_self(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    struct loupe_self *self = ctx;
    return loupe_regions_window(&self->regions, addr, ret);
}

static bool region_of_self(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    struct loupe_self *self = ctx;
    const struct loupe_region *region = loupe_regions_find(&self->regions, addr);
    if (!region)
        return false;
    *start_ret = region->start;
    *end_ret = region->end;
    return true;
}

static enum loupe_status find_symbol_of_self(void *ctx, const char *name, loupe_addr *ret) {
    struct loupe_self *self = ctx;
    return loupe_images_find(&self->images, name, ret);
}

static enum loupe_status name_address_of_self(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                              uint64_t *offset_ret) {
    struct loupe_self *self = ctx;
    return loupe_images_name(&self->images, addr, dst, cap, offset_ret);
}

static uint64_t microseconds(void *ctx) {
    (void)ctx;
    return loupe_kernel_microseconds();
}

/* ---- What the process consists of ---- */

static enum loupe_status regions_of_self(void *ctx, loupe_region_visit visit, void *visitor) {
    const struct loupe_self *self = ctx;
    return loupe_regions_visit(&self->regions, visit, visitor);
}

static enum loupe_status unread_of_self(void *ctx, loupe_unread_visit visit, void *visitor) {
    const struct loupe_self *self = ctx;
    return loupe_regions_visit_unread(&self->regions, visit, visitor);
}

static enum loupe_status images_of_self(void *ctx, loupe_image_visit visit, void *visitor) {
    struct loupe_self *self = ctx;
    return loupe_images_visit(&self->images, visit, visitor);
}

static enum loupe_status sections_of_self(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                          void *visitor) {
    struct loupe_self *self = ctx;
    return loupe_images_visit_sections(&self->images, image, visit, visitor);
}

struct thread_visit {
    struct loupe_self *self;
    loupe_thread_visit visit;
    void *visitor;
};

/* What its caller had in registers that functions keep; others mean nothing to it after a call. */
static struct loupe_frame registers_of_asking_thread(const struct loupe_self *self) {
    const struct loupe_frame_machine *machine = loupe_frame_machine_of(loupe_own_machine.arch);
    struct loupe_frame frame = self->asked_from;
    if (!frame.known || !loupe_unwind_caller(&frame))
        frame.known = 0;
    if (machine && self->own_stack_pointer)
        loupe_frame_set(&frame, machine->sp, self->own_stack_pointer);
    return frame;
}

static enum loupe_status note_thread(void *visitor, const struct loupe_own_thread *told) {
    const struct thread_visit *thread_visit = visitor;
    struct loupe_vector *threads = &thread_visit->self->threads;
    struct loupe_own_thread *thread = loupe_vector_add(threads);
    if (!thread)
        return LOUPE_ENOMEM;
    *thread = *told;
    if (thread->asks)
        thread->registers = registers_of_asking_thread(thread_visit->self);
    return thread_visit->visit(thread_visit->visitor, threads->count - 1, &thread->about);
}

static enum loupe_status threads_of_self(void *ctx, loupe_thread_visit visit, void *visitor) {
    struct loupe_self *self = ctx;
    struct thread_visit thread_visit = {.self = self, .visit = visit, .visitor = visitor};
    self->threads.count = 0;
    return loupe_own_threads_visit(note_thread, &thread_visit);
}

static bool register_of_self(void *ctx, uint32_t thread, const char *name, uint64_t *ret) {
    const struct loupe_self *self = ctx;
    return loupe_own_thread_register(
        loupe_vector_at(&self->threads, thread, sizeof(struct loupe_own_thread)), name, ret);
}

#ifdef __linux__
static enum loupe_status kernel_words_of_self(void *ctx, loupe_kernel_word_visit visit,
                                              void *visitor) {
    (void)ctx;
    return loupe_kernel_words_visit(visit, visitor);
}
#endif

static uint64_t paused_of_self(void *ctx) {
    (void)ctx;
    return loupe_threads_held_for();
}

#ifdef __APPLE__
static bool is_in_image(void *ctx, loupe_addr code) {
    struct loupe_self *self = ctx;
    return loupe_images_at(&self->images, code) != NULL;
}

static enum loupe_status zones_of_self(void *ctx, loupe_zone_visit visit,
                                       loupe_block_visit visit_block, void *visitor) {
    struct loupe_self *self = ctx;
    const struct loupe_zone_host host = {
        .regions = &self->regions, .is_in_image = is_in_image, .ctx = self};
    return loupe_zones_visit(&host, visit, visit_block, visitor);
}
#endif

static const struct loupe_process_ops process_ops = {
    .regions = regions_of_self,
    .images = images_of_self,
    .sections = sections_of_self,
    .threads = threads_of_self,
    .thread_register = register_of_self,
    .unread = unread_of_self,
    .paused = paused_of_self,
#ifdef __linux__
    .kernel_words = kernel_words_of_self,
#endif
#ifdef __APPLE__
    .zones = zones_of_self,
#endif
};

const struct loupe_reader_ops loupe_self_ops = {
    .read = read_self,
    .window = window_of_self,
    .region = region_of_self,
    .find_symbol = find_symbol_of_self,
    .name_address = name_address_of_self,
#if defined(__aarch64__)
    .strip = loupe_own_strip,
#endif
    .microseconds = microseconds,
    .zeroes = zeroes_of_self,
    .process = &process_ops,
};

enum loupe_status loupe_self_init(struct loupe_self *self, const struct loupe_chunk_ops *chunks) {
    *self = (struct loupe_self){0};
    enum loupe_status status = loupe_regions_init(&self->regions, chunks);
    if (!status)
        loupe_images_init(&self->images, &self->regions, chunks);
    loupe_vector_init(&self->threads, chunks, sizeof(struct loupe_own_thread));
    return status;
}

void loupe_self_deinit(struct loupe_self *self) {
    loupe_vector_deinit(&self->threads);
    loupe_images_deinit(&self->images);
    loupe_regions_deinit(&self->regions);
}
