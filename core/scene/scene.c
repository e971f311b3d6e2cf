#include "scene/scene.h"

#include "scene/parts.h"

const char *loupe_scene_gap_name(enum loupe_scene_gap_kind kind) {
    static const char *const names[LOUPE_GAP_COUNT] = {
        [LOUPE_GAP_POOLS] = "autorelease-pools",
        [LOUPE_GAP_REGIONS] = "regions",
        [LOUPE_GAP_IMAGES] = "images",
        [LOUPE_GAP_DATA_PART] = "data-part",
        [LOUPE_GAP_SYSTEM_DATA] = "system-data",
        [LOUPE_GAP_THREADS] = "threads",
        [LOUPE_GAP_STACK] = "stack",
        [LOUPE_GAP_STACK_PART] = "stack-part",
        [LOUPE_GAP_REGISTERS] = "registers",
        [LOUPE_GAP_THREAD_LOCAL] = "thread-local",
        [LOUPE_GAP_LATER_THREAD_LOCAL] = "later-thread-local",
        [LOUPE_GAP_RAW_MEMORY] = "raw-memory",
        [LOUPE_GAP_RESERVED] = "reserved-memory",
        [LOUPE_GAP_OF_OTHERS] = "memory-of-others",
        [LOUPE_GAP_SHARED] = "shared-memory",
        [LOUPE_GAP_NOT_COPIED] = "not-copied",
        [LOUPE_GAP_BEYOND_GIVEN] = "beyond-given",
    };
    return names[kind];
}

enum loupe_scene_gap_kind loupe_scene_gap_of_unread(enum loupe_unread_reason reason) {
    if (reason == LOUPE_UNREAD_IN_TIME)
        return LOUPE_GAP_NOT_COPIED;
    return reason == LOUPE_UNREAD_OF_OTHERS ? LOUPE_GAP_OF_OTHERS : LOUPE_GAP_SHARED;
}

void loupe_scene_init(struct loupe_scene *scene, struct loupe_target *target) {
    const struct loupe_chunk_ops *chunks = &target->arena_chunks;
    *scene = (struct loupe_scene){.target = target};
    loupe_vector_init(&scene->regions, chunks, sizeof(struct loupe_process_region));
    loupe_vector_init(&scene->sources, chunks, sizeof(struct loupe_root_source));
    loupe_vector_init(&scene->gaps, chunks, sizeof(struct loupe_scene_gap));
    loupe_ranges_init(&scene->not_objects, chunks);
    loupe_ranges_init(&scene->writable, chunks);
    loupe_ranges_init(&scene->unused, chunks);
}

/* ---- For the other files ---- */

enum loupe_status loupe_scene_add_source(struct loupe_scene *scene,
                                         struct loupe_root_source source) {
    struct loupe_root_source *added = loupe_vector_add(&scene->sources);
    if (!added)
        return LOUPE_ENOMEM;
    *added = source;
    return LOUPE_OK;
}

enum loupe_status loupe_scene_add_gap(struct loupe_scene *scene, struct loupe_scene_gap gap) {
    struct loupe_scene_gap *added = loupe_vector_add(&scene->gaps);
    if (!added)
        return LOUPE_ENOMEM;
    *added = gap;
    return LOUPE_OK;
}

static const struct loupe_process_region *region_at(const struct loupe_scene *scene,
                                                    uint32_t index) {
    return loupe_vector_at(&scene->regions, index, sizeof(struct loupe_process_region));
}

const struct loupe_process_region *loupe_scene_region(const struct loupe_scene *scene,
                                                      loupe_addr address) {
    uint32_t low = 0, high = scene->regions.count; /* the first region that ends behind it */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (region_at(scene, middle)->end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < scene->regions.count && region_at(scene, low)->start <= address;
    return found ? region_at(scene, low) : NULL;
}

/* ---- Memory ---- */

static enum loupe_status take_region(void *visitor, const struct loupe_process_region *region) {
    struct loupe_scene *scene = visitor;
    uint32_t count = scene->regions.count;
    if (region->start >= region->end || (count && region->start < region_at(scene, count - 1)->end))
        return LOUPE_OK; /* the list moved while it was read */
    struct loupe_process_region *added = loupe_vector_add(&scene->regions);
    if (!added)
        return LOUPE_ENOMEM;
    *added = *region;
    return LOUPE_OK;
}

/* A process has memory that can be written. Where there seems to be none the reader cannot tell, as
 * LLDB of the regions of a Mach-O core: then any may be. */
static void believe_in_writable_memory(struct loupe_scene *scene) {
    for (uint32_t i = 0; i < scene->regions.count; i++)
        if (region_at(scene, i)->writable)
            return;
    for (uint32_t i = 0; i < scene->regions.count; i++) {
        struct loupe_process_region *region =
            loupe_vector_at(&scene->regions, i, sizeof(struct loupe_process_region));
        region->writable = region->readable;
    }
}

static enum loupe_status take_regions(struct loupe_scene *scene) {
    const struct loupe_memory *memory = scene->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    if (!process || !process->regions)
        return LOUPE_OK;
    enum loupe_status status = process->regions(memory->ctx, take_region, scene);
    believe_in_writable_memory(scene);
    if (status == LOUPE_EFAULT)
        status = loupe_scene_add_gap(scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_REGIONS});
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

/* What a word can stand in, less what nobody uses. */
static enum loupe_status take_writable(struct loupe_scene *scene) {
    enum loupe_status status = LOUPE_OK;
    loupe_ranges_join(&scene->unused, 0);
    for (uint32_t i = 0; !status && i < scene->regions.count; i++) {
        const struct loupe_process_region *region = region_at(scene, i);
        if (region->writable && region->readable)
            status = loupe_ranges_add_without(&scene->writable, region->start, region->end,
                                              &scene->unused);
    }
    return status;
}

static enum loupe_status add_unread(void *visitor, const struct loupe_process_unread *unread) {
    return loupe_scene_add_gap(
        visitor, (struct loupe_scene_gap){.kind = loupe_scene_gap_of_unread(unread->reason),
                                          .bytes = unread->bytes});
}

static enum loupe_status take_unread(struct loupe_scene *scene) {
    const struct loupe_memory *memory = scene->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    enum loupe_status status =
        process && process->unread ? process->unread(memory->ctx, add_unread, scene) : LOUPE_OK;
    if (status == LOUPE_EFAULT)
        status = loupe_scene_add_gap(scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_REGIONS});
    return status;
}

/* ---- All of it ---- */

static enum loupe_status take_debuggers(struct loupe_scene *scene,
                                        const struct loupe_request *request) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < request->debugger_count; i++)
        status = loupe_ranges_add(&scene->unused, request->debuggers[i].start,
                                  request->debuggers[i].end);
    return status;
}

static enum loupe_status take_everything(struct loupe_scene *scene,
                                         const struct loupe_request *request) {
    enum loupe_status status = take_regions(scene);
    if (!status)
        status = loupe_scene_take_data(scene);
    if (!status)
        status = loupe_scene_take_threads(scene, request);
    if (!status)
        status = loupe_scene_take_kernel(scene);
    if (!status)
        status = take_debuggers(scene, request);
    if (!status)
        status = loupe_scene_leave_out_reserved(scene);
    if (!status)
        status = take_unread(scene);
    if (!status)
        status = take_writable(scene);
    if (!status)
        status = loupe_scene_add_gap(scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_RAW_MEMORY});
    return status;
}

static enum loupe_status take_named(struct loupe_scene *scene,
                                    const struct loupe_request *request) {
    enum loupe_status status =
        loupe_scene_add_gap(scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_BEYOND_GIVEN});
    for (uint32_t i = 0; !status && i < request->root_count; i++) {
        const struct loupe_named_root *root = &request->roots[i];
        struct loupe_root_source source = {.kind = root->kind};
        if (root->is_memory)
            source.memory = root->range;
        else
            source.word = root->range.start;
        status = loupe_scene_add_source(scene, source);
    }
    return status;
}

enum loupe_status loupe_scene_take(struct loupe_scene *scene, const struct loupe_request *request) {
    return request->root_count ? take_named(scene, request) : take_everything(scene, request);
}
