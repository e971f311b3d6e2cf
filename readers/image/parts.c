/* Sections of an image, or its segments where it has none. */
#include "image/image.h"

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

enum loupe_status loupe_image_visit_parts(const struct loupe_image *image,
                                          loupe_section_part_visit visit, void *visitor) {
    struct section_visit section_visit = {.visit = visit, .visitor = visitor};
    bool whole = loupe_image_sections(image, visit_section, &section_visit);
    if (!section_visit.any)
        whole = loupe_image_segments(image, visit_segment, &section_visit);
    return section_visit.status || whole ? section_visit.status : LOUPE_EFAULT;
}
