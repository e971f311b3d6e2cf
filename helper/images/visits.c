/* What the scene asks of images: their paths and sections. */
#include "images/images.h"

enum { MAX_PATH = 1024 };

enum loupe_status loupe_images_visit(struct loupe_images *images, loupe_image_visit visit,
                                     void *visitor) {
    enum loupe_status status = loupe_images_know(images);
    for (uint32_t i = 0; !status && i < images->count; i++) {
        const struct loupe_loaded_image *loaded = &images->items[i];
        struct loupe_span name = loaded->name.length ? loaded->name : loaded->path;
        char text[MAX_PATH];
        loupe_format(text, sizeof(text), "%.*s", (int)name.length, name.bytes);
        status = visit(visitor, i, text);
    }
    return status;
}

struct section_visit {
    loupe_section_part_visit visit;
    void *visitor;
    enum loupe_status status;
    bool any;
};

static bool go_on(struct section_visit *section_visit, const struct loupe_process_section *part) {
    section_visit->any = true;
    section_visit->status = section_visit->visit(section_visit->visitor, part);
    return !section_visit->status;
}

static bool visit_section(void *ctx, const struct loupe_section *section) {
    return go_on(ctx, &(struct loupe_process_section){.name = section->name,
                                                      .start = section->start,
                                                      .size = section->end - section->start,
                                                      .loaded = !section->per_thread,
                                                      .writable = section->writable});
}

static bool visit_segment(void *ctx, const struct loupe_segment *segment) {
    return go_on(ctx, &(struct loupe_process_section){.name = "",
                                                      .start = segment->start,
                                                      .size = segment->end - segment->start,
                                                      .loaded = true,
                                                      .writable = segment->writable});
}

enum loupe_status loupe_images_visit_sections(struct loupe_images *images, uint32_t number,
                                              loupe_section_part_visit visit, void *visitor) {
    struct loupe_loaded_image *loaded = &images->items[number];
    struct section_visit section_visit = {.visit = visit, .visitor = visitor};
    loupe_images_open(images, loaded);
    bool whole = loupe_image_sections(&loaded->image, visit_section, &section_visit);
    if (!section_visit.any)
        whole = loupe_image_segments(&loaded->image, visit_segment, &section_visit);
    return section_visit.status || whole ? section_visit.status : LOUPE_EFAULT;
}
