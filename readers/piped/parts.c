/* parts.c - regions, images, sections, threads and their registers, by one request each. */
#include "piped/parts.h"

#include "piped/pages.h"
#include "piped/piped.h"

#include <stdlib.h>

char *loupe_wire_copy_text(struct loupe_span text) {
    char *copy = malloc(text.length + 1);
    if (!copy)
        return NULL;
    if (text.length)
        memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return copy;
}

/*
 * What visitors do may ask more, so the reply is copied before they are called. False: it is not
 * there; else body lies in *copy, which free() takes.
 */
static bool request_list(struct loupe_wire *wire, enum loupe_wire_kind kind, uint8_t **copy,
                         struct loupe_wire_body *body) {
    if (!loupe_wire_request(wire, kind, body))
        return false;
    size_t size = (size_t)(body->end - body->at);
    *copy = malloc(size + 1);
    if (!*copy)
        return false;
    memcpy(*copy, body->at, size);
    *body = (struct loupe_wire_body){.at = *copy, .end = *copy + size};
    return true;
}

static enum loupe_status visit_regions(void *ctx, loupe_region_visit visit, void *visitor) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    uint8_t *copy;
    enum loupe_status status = LOUPE_OK;
    loupe_wire_begin(reader->wire);
    if (!request_list(reader->wire, LOUPE_WIRE_REGIONS, &copy, &body))
        return LOUPE_EFAULT;
    while (!status && loupe_wire_has_more(&body)) {
        struct loupe_process_region region = {.start = loupe_wire_take(&body, 8)};
        region.end = loupe_wire_take(&body, 8);
        uint64_t flags = loupe_wire_take(&body, 1);
        region.readable = flags & LOUPE_WIRE_READABLE;
        region.writable = flags & LOUPE_WIRE_WRITABLE;
        region.is_stack = flags & LOUPE_WIRE_IS_STACK;
        status = body.is_bad ? LOUPE_EFAULT : visit(visitor, &region);
    }
    free(copy);
    return status;
}

static enum loupe_status visit_images(void *ctx, loupe_image_visit visit, void *visitor) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    uint8_t *copy;
    enum loupe_status status = LOUPE_OK;
    loupe_wire_begin(reader->wire);
    if (!request_list(reader->wire, LOUPE_WIRE_IMAGES, &copy, &body))
        return LOUPE_EFAULT;
    for (uint32_t image = 0; !status && loupe_wire_has_more(&body); image++) {
        char *path = loupe_wire_copy_text(loupe_wire_take_text(&body));
        if (body.is_bad)
            status = LOUPE_EFAULT;
        else
            status = path ? visit(visitor, image, path) : LOUPE_ENOMEM;
        free(path);
    }
    free(copy);
    return status;
}

static enum loupe_status visit_section(struct loupe_wire_body *body, loupe_section_part_visit visit,
                                       void *visitor) {
    struct loupe_process_section section = {.start = loupe_wire_take(body, 8)};
    section.size = loupe_wire_take(body, 8);
    uint64_t flags = loupe_wire_take(body, 1);
    section.loaded = flags & LOUPE_WIRE_LOADED;
    section.writable = flags & LOUPE_WIRE_SECTION_WRITABLE;
    struct loupe_span text = loupe_wire_take_text(body);
    if (body->is_bad)
        return LOUPE_EFAULT;
    char *name = loupe_wire_copy_text(text);
    section.name = name;
    enum loupe_status status = name ? visit(visitor, &section) : LOUPE_ENOMEM;
    free(name);
    return status;
}

static enum loupe_status visit_sections(void *ctx, uint32_t image, loupe_section_part_visit visit,
                                        void *visitor) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    uint8_t *copy;
    enum loupe_status status = LOUPE_OK;
    loupe_wire_begin(reader->wire);
    loupe_wire_put(reader->wire, image, 4);
    if (!request_list(reader->wire, LOUPE_WIRE_SECTIONS, &copy, &body))
        return LOUPE_EFAULT;
    while (!status && loupe_wire_has_more(&body))
        status = visit_section(&body, visit, visitor);
    free(copy);
    return status;
}

static enum loupe_status visit_threads(void *ctx, loupe_thread_visit visit, void *visitor) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    uint8_t *copy;
    enum loupe_status status = LOUPE_OK;
    loupe_wire_begin(reader->wire);
    if (!request_list(reader->wire, LOUPE_WIRE_THREADS, &copy, &body))
        return LOUPE_EFAULT;
    for (uint32_t thread = 0; !status && loupe_wire_has_more(&body); thread++) {
        struct loupe_process_thread about = {.id = loupe_wire_take(&body, 8)};
        status = body.is_bad ? LOUPE_EFAULT : visit(visitor, thread, &about);
    }
    free(copy);
    return status;
}

/* ---- Registers ---- */

static uint32_t number_of_name(struct loupe_piped_reader *reader, const char *name) {
    uint32_t number = 0;
    while (number < reader->name_count && strcmp(reader->names[number], name) != 0)
        number++;
    if (number == reader->name_count && number < LOUPE_PIPED_MOST_NAMES &&
        strlen(name) < LOUPE_PIPED_LONGEST_NAME) {
        strcpy(reader->names[number], name);
        reader->name_count++;
    }
    return number;
}

/* Those that this thread was not asked for yet. */
static void fetch_registers(struct loupe_piped_reader *reader, uint32_t thread) {
    struct loupe_wire_body body;
    loupe_wire_begin(reader->wire);
    loupe_wire_put(reader->wire, thread, 4);
    for (uint32_t i = reader->fetched; i < reader->name_count; i++)
        loupe_wire_put_text(reader->wire, loupe_span_of(reader->names[i]));
    bool told = loupe_wire_request(reader->wire, LOUPE_WIRE_REGISTERS, &body);
    for (; reader->fetched < reader->name_count; reader->fetched++) {
        reader->are_known[reader->fetched] = told && loupe_wire_take(&body, 1) == 1;
        reader->values[reader->fetched] = told ? loupe_wire_take(&body, 8) : 0;
    }
    if (told)
        loupe_wire_is_understood(reader->wire, &body);
}

static bool find_register(void *ctx, uint32_t thread, const char *name, uint64_t *ret) {
    struct loupe_piped_reader *reader = ctx;
    uint32_t number = number_of_name(reader, name);
    if (thread != reader->thread) {
        reader->thread = thread;
        reader->fetched = 0;
    }
    if (number < reader->name_count && number >= reader->fetched)
        fetch_registers(reader, thread);
    if (number >= reader->fetched || !reader->are_known[number])
        return false;
    *ret = reader->values[number];
    return true;
}

static loupe_addr frames_end(void *ctx, uint32_t thread) {
    const struct loupe_piped_reader *reader = ctx;
    struct loupe_wire_body body;
    loupe_wire_begin(reader->wire);
    loupe_wire_put(reader->wire, thread, 4);
    if (!loupe_wire_request(reader->wire, LOUPE_WIRE_FRAMES_END, &body))
        return 0;
    loupe_addr end = loupe_wire_take(&body, 8);
    return loupe_wire_is_understood(reader->wire, &body) ? end : 0;
}

static enum loupe_status visit_unread(void *ctx, loupe_unread_visit visit, void *visitor) {
    return loupe_piped_pages_visit_unread(ctx, visit, visitor);
}

const struct loupe_process_ops loupe_piped_parts = {.regions = visit_regions,
                                                    .images = visit_images,
                                                    .sections = visit_sections,
                                                    .threads = visit_threads,
                                                    .thread_register = find_register,
                                                    .frames_end = frames_end,
                                                    .unread = visit_unread};
