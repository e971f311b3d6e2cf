/* The data of images: where global and static variables are. */
#include "base/sort.h"
#include "scene/parts.h"
#include "scene/sections.h"

enum {
    SYSTEM_DATA = 64 << 20,     /* bytes of the data of the system's libraries that are scanned */
    ONE_STRETCH = 1 << 30,      /* bytes of one stretch of data */
    SMALL_GAP = 63,             /* between sections that are taken for one stretch */
    ALIGNMENT = 64,             /* of an image's variables of threads, at most */
    MAX_THREAD_LOCAL = 16 << 10 /* bytes of all of them: what is next to them comes and goes */
};

struct image {
    const char *path;
    bool is_systems;
    uint32_t first, count; /* of its stretches in `data` */
    struct loupe_range start;
};

struct taker {
    struct loupe_scene *scene;
    struct loupe_vector images; /* of struct image */
    struct loupe_ranges data;   /* stretches of all images, those of one together */
    struct loupe_ranges of_image;
    bool is_ours;
};

/* ---- One image ---- */

static enum loupe_status take_section(void *visitor, const struct loupe_process_section *section) {
    struct taker *taker = visitor;
    struct loupe_scene *scene = taker->scene;
    enum loupe_section_use use = loupe_section_use(section->name);
    loupe_addr end = section->start + section->size;
    if (use == LOUPE_SECTION_THREAD_LOCAL && section->size)
        scene->thread_local_size += section->size + ALIGNMENT;
    if (!section->loaded)
        return LOUPE_OK;
    scene->has_swift = scene->has_swift || loupe_section_is_swifts(section->name);
    if (use == LOUPE_SECTION_TABLE)
        return loupe_ranges_add(&scene->not_objects, section->start, end);
    if (!section->writable || use != LOUPE_SECTION_DATA)
        return LOUPE_OK;
    return loupe_ranges_add(taker->is_ours ? &scene->unused : &taker->of_image, section->start,
                            end);
}

static struct image *add_image(struct taker *taker, const char *path) {
    struct image *added = loupe_vector_add(&taker->images);
    if (added)
        *added = (struct image){
            .path = loupe_arena_copy_string(&taker->scene->target->arena, loupe_span_of(path)),
            .is_systems = loupe_image_is_systems(path),
            .first = loupe_ranges_count(&taker->data),
            .count = loupe_ranges_count(&taker->of_image),
            .start = *loupe_ranges_at(&taker->of_image, 0)};
    return added && added->path ? added : NULL;
}

static enum loupe_status take_stretches(struct taker *taker) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&taker->of_image); i++) {
        const struct loupe_range *stretch = loupe_ranges_at(&taker->of_image, i);
        status = loupe_ranges_add(&taker->data, stretch->start, stretch->end);
    }
    return status;
}

static enum loupe_status take_image(void *visitor, uint32_t number, const char *path) {
    struct taker *taker = visitor;
    const struct loupe_memory *memory = taker->scene->target->memory;
    if (loupe_image_is_kernels(path))
        return LOUPE_OK;
    taker->is_ours = loupe_image_is_ours(path);
    taker->of_image.items.count = 0;
    enum loupe_status status =
        memory->ops->process->sections(memory->ctx, number, take_section, taker);
    if (status == LOUPE_EFAULT)
        status = loupe_scene_add_gap(
            taker->scene,
            (struct loupe_scene_gap){.kind = LOUPE_GAP_DATA_PART,
                                     .image = loupe_arena_copy_string(&taker->scene->target->arena,
                                                                      loupe_span_of(path))});
    loupe_ranges_join(&taker->of_image, SMALL_GAP);
    if (status || !loupe_ranges_count(&taker->of_image))
        return status;
    return add_image(taker, path) ? take_stretches(taker) : LOUPE_ENOMEM;
}

/* ---- All of them ---- */

/* The program's own first, then by address: readers have them in another order each time. */
static bool comes_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    const struct image *one = a, *other = b;
    if (one->is_systems != other->is_systems)
        return other->is_systems;
    return one->start.start != other->start.start ? one->start.start < other->start.start
                                                  : one->start.end < other->start.end;
}

static struct image *image_at(const struct taker *taker, uint32_t index) {
    return loupe_vector_at(&taker->images, index, sizeof(struct image));
}

/* Some readers have an image twice, as LLDB the loader of a minidump. */
static bool is_repeated(const struct taker *taker, uint32_t index) {
    return index && !comes_before(NULL, image_at(taker, index - 1), image_at(taker, index));
}

static enum loupe_status add_data(struct taker *taker, const struct image *image) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < image->count; i++) {
        struct loupe_root_source source = {.kind = LOUPE_ROOT_GLOBAL,
                                           .memory =
                                               *loupe_ranges_at(&taker->data, image->first + i),
                                           .image = image->path};
        uint64_t size = source.memory.end - source.memory.start;
        if (size > ONE_STRETCH) {
            source.memory.end = source.memory.start + ONE_STRETCH;
            status = loupe_scene_add_gap(taker->scene,
                                         (struct loupe_scene_gap){.kind = LOUPE_GAP_DATA_PART,
                                                                  .image = image->path,
                                                                  .bytes = size - ONE_STRETCH});
        }
        if (!status)
            status = loupe_scene_add_source(taker->scene, source);
    }
    return status;
}

static uint64_t size_of(const struct taker *taker, const struct image *image) {
    uint64_t size = 0;
    for (uint32_t i = 0; i < image->count; i++) {
        const struct loupe_range *stretch = loupe_ranges_at(&taker->data, image->first + i);
        size += stretch->end - stretch->start;
    }
    return size;
}

static enum loupe_status add_all(struct taker *taker) {
    uint64_t left = SYSTEM_DATA, skipped = 0;
    enum loupe_status status = LOUPE_OK;
    loupe_vector_sort(&taker->images, comes_before, NULL);
    for (uint32_t i = 0; !status && i < taker->images.count; i++) {
        const struct image *image = image_at(taker, i);
        uint64_t size = image->is_systems ? size_of(taker, image) : 0;
        if (is_repeated(taker, i))
            continue;
        if (size > left) {
            skipped += size;
            continue;
        }
        left -= size;
        status = add_data(taker, image);
    }
    if (!status && skipped)
        status = loupe_scene_add_gap(
            taker->scene,
            (struct loupe_scene_gap){.kind = LOUPE_GAP_SYSTEM_DATA, .bytes = skipped});
    return status;
}

static enum loupe_status visit_images(struct taker *taker) {
    const struct loupe_memory *memory = taker->scene->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    enum loupe_status status = LOUPE_EFAULT;
    if (process && process->images && process->sections)
        status = process->images(memory->ctx, take_image, taker);
    if (status == LOUPE_EFAULT)
        status =
            loupe_scene_add_gap(taker->scene, (struct loupe_scene_gap){.kind = LOUPE_GAP_IMAGES});
    return status;
}

enum loupe_status loupe_scene_take_data(struct loupe_scene *scene) {
    const struct loupe_chunk_ops *chunks = scene->target->chunks;
    struct taker taker = {.scene = scene};
    loupe_vector_init(&taker.images, chunks, sizeof(struct image));
    loupe_ranges_init(&taker.data, chunks);
    loupe_ranges_init(&taker.of_image, chunks);
    enum loupe_status status = visit_images(&taker);
    if (!status)
        status = add_all(&taker);
    loupe_ranges_join(&scene->not_objects, 0);
    if (scene->thread_local_size > MAX_THREAD_LOCAL)
        scene->thread_local_size = MAX_THREAD_LOCAL;
    loupe_vector_deinit(&taker.images);
    loupe_ranges_deinit(&taker.data);
    loupe_ranges_deinit(&taker.of_image);
    return status;
}
