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
    return !status && images->is_partial ? LOUPE_EFAULT : status;
}

enum loupe_status loupe_images_visit_sections(struct loupe_images *images, uint32_t number,
                                              loupe_section_part_visit visit, void *visitor) {
    struct loupe_loaded_image *loaded = &images->items[number];
    loupe_images_open(images, loaded);
    return loupe_image_visit_parts(&loaded->image, visit, visitor);
}
