/* Paths from roots, and the suspects that they hold. */
#include "pictures/answer_reader.h"

/* "static field of class A", "local variable of thread "main" in A.run(A.java:12)" in one text. */
static enum loupe_status word_root(struct answer_reader *reader, const struct json_value *root,
                                   struct loupe_span *ret) {
    const struct json_value *frame = json_member(root, "frame");
    struct loupe_span kind = json_text(root, "kind"), thread = json_text(root, "thread"),
                      class_name = json_text(frame, "class"), method = json_text(frame, "method");
    char text[400];
    size_t length = loupe_format(text, sizeof(text), "%.*s", picture_cut(kind, 60), kind.bytes);
    if (thread.length)
        length += loupe_format(text + length, sizeof(text) - length, " of thread \"%.*s\"",
                               picture_cut(thread, 80), thread.bytes);
    if (method.length)
        length += loupe_format(text + length, sizeof(text) - length, " in %.*s.%.*s",
                               picture_cut(class_name, 120), class_name.bytes,
                               picture_cut(method, 80), method.bytes);
    char *copy = loupe_arena_copy_string(reader->picture->arena, (struct loupe_span){text, length});
    *ret = (struct loupe_span){copy, length};
    return copy ? LOUPE_OK : LOUPE_ENOMEM;
}

static enum loupe_status read_steps(struct answer_reader *reader, const struct json_value *edges,
                                    struct picture_finding *finding) {
    struct loupe_arena *arena = reader->picture->arena;
    enum loupe_status status = LOUPE_OK;
    struct picture_ring *ring = loupe_arena_alloc(arena, sizeof(*ring));
    finding->arrows =
        loupe_arena_alloc_array(arena, (size_t)edges->count + 1, sizeof(*finding->arrows));
    uint32_t *order = loupe_arena_alloc_array(arena, (size_t)edges->count + 1, sizeof(*order));
    if (!ring || !finding->arrows || !order)
        return LOUPE_ENOMEM;
    JSON_EACH(edge, edges) {
        order[finding->arrow_count] = finding->arrow_count;
        if (!status)
            status = answer_arrow(reader, edge, &finding->arrows[finding->arrow_count++]);
    }
    ring->arrows = (struct picture_arrows){order, finding->arrow_count};
    ring->length = finding->arrow_count;
    finding->rings = ring;
    finding->ring_count = 1;
    return status;
}

/* A PATH. Its objects are described before it refers to them. */
static enum loupe_status read_path(struct answer_reader *reader, const struct json_value *path,
                                   struct picture_finding *finding) {
    struct loupe_span last = {NULL, 0};
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(object, json_member(path, "objects")) {
        last = json_text(object, "address");
        if (!status)
            status = answer_describe(reader, last, object);
    }
    if (!status)
        status = read_steps(reader, json_member(path, "edges"), finding);
    if (!status && last.length)
        status = answer_thing(reader, last, &finding->head);
    if (!status)
        status = word_root(reader, json_member(path, "root"), &finding->root);
    finding->fingerprint = json_text(path, "fingerprint");
    return status;
}

enum loupe_status answer_paths(struct answer_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(path, json_member(reader->answer, "paths")) {
        struct picture_finding *finding = status ? NULL : picture_add_finding(reader->picture);
        if (!finding)
            return status ? status : LOUPE_ENOMEM;
        finding->kind = PICTURE_PATH;
        status = read_path(reader, path, finding);
    }
    return status;
}

static enum loupe_status read_owner(struct answer_reader *reader,
                                    const struct json_value *suspect) {
    struct picture_finding *finding = picture_add_owner(reader->picture);
    if (!finding)
        return LOUPE_ENOMEM;
    finding->kind = PICTURE_OWNER;
    enum loupe_status status = read_path(reader, json_member(suspect, "path"), finding);
    finding->fingerprint = json_text(suspect, "fingerprint");
    finding->culprit = json_text(suspect, "culprit");
    finding->held_class = json_text(suspect, "class");
    finding->count = json_uint(suspect, "count");
    finding->bytes = json_uint(suspect, "retained");
    finding->percent = json_uint(suspect, "share");
    return status;
}

enum loupe_status answer_suspects(struct answer_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(suspect, json_member(reader->answer, "suspects")) {
        if (loupe_span_equals(json_text(suspect, "kind"), "share")) {
            if (!status)
                status = read_owner(reader, suspect);
            continue;
        }
        struct picture_finding *finding = status ? NULL : picture_add_finding(reader->picture);
        if (!finding)
            return status ? status : LOUPE_ENOMEM;
        finding->kind = PICTURE_SUSPECT;
        status = read_path(reader, json_member(suspect, "path"), finding);
        finding->fingerprint = json_text(suspect, "fingerprint");
        finding->reason = json_text(suspect, "reason");
        finding->mistake = json_text(suspect, "mistake");
        finding->verdict = loupe_span_of("held");
        finding->severity = LOUPE_SEVERITY_WARNING;
        finding->count = json_uint(suspect, "count");
        finding->bytes = json_uint(suspect, "retained");
    }
    return status;
}
