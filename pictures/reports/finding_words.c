/* What reports for CI say of a finding: title, message, place. */
#include "mistakes/patterns.h"
#include "pictures/reports/reports.h"
#include "answers/texts.h"
#include "answers/visible.h"

#include <string.h>

enum { LONGEST_NAME = 120, MOST_STEPS = 8 };

struct loupe_span finding_rule(const struct picture_finding *finding) {
    static const char *const kinds[] = {[PICTURE_KNOT] = "retain-cycle",
                                        [PICTURE_LEAK] = "leak",
                                        [PICTURE_SUSPECT] = "suspect",
                                        [PICTURE_PATH] = "path",
                                        [PICTURE_OWNER] = "owner"};
    return finding->pattern ? finding->pattern->id : loupe_span_of(kinds[finding->kind]);
}

/* What a leak keeps of memory without a class are no objects. */
static void add_objects(struct visible *words, const struct picture_finding *finding) {
    bool is_memory = finding->kind == PICTURE_LEAK && finding->others >= finding->objects;
    const char *each = is_memory ? " allocation" : " object";
    uint64_t count = finding->objects;
    if (finding->kind == PICTURE_LEAK && !is_memory)
        count -= finding->others;
    visible_add_number(words, count);
    visible_add(words, each);
    visible_add(words, count == 1 ? "" : "s");
    if (finding->kind == PICTURE_LEAK && !is_memory && finding->others) {
        visible_add(words, " and ");
        visible_add_number(words, finding->others);
        visible_add(words, finding->others == 1 ? " other allocation" : " other allocations");
    }
}

void finding_title(const struct picture_finding *finding, struct visible *ret) {
    ret->length = 0;
    if (finding->title.length) {
        visible_add_text(ret, finding->title, LONGEST_NAME);
        return;
    }
    if (finding->kind == PICTURE_PATH) {
        visible_add(ret, "Path from a root");
    } else if (finding->kind == PICTURE_SUSPECT) {
        visible_add(ret, "Should be gone but is held");
    } else if (finding->is_untyped) {
        visible_add(ret, ANSWER_UNTYPED_CYCLE);
    } else if (finding->objects == 1 && finding->kind == PICTURE_KNOT) {
        visible_add(ret, finding->certain ? ANSWER_RETAINS_ITSELF : ANSWER_MAY_RETAIN_ITSELF);
    } else {
        const char *what = finding->kind == PICTURE_LEAK ? "leak of " : "retain cycle of ";
        visible_add(ret, finding->certain ? "" : "possible ");
        visible_add(ret, what);
        add_objects(ret, finding);
        ret->bytes[0] = (char)(ret->bytes[0] - 'a' + 'A');
    }
    bool has_state = finding->kind == PICTURE_KNOT || finding->kind == PICTURE_LEAK;
    if (has_state && picture_state(finding).length) {
        visible_add(ret, ", ");
        visible_add_text(ret, picture_state(finding), 40);
    }
    if (finding->count > 1) {
        visible_add(ret, ", and ");
        visible_add_number(ret, finding->count - 1);
        visible_add(ret, ANSWER_MORE_EQUAL);
    }
}

static void add_thing(const struct picture *picture, uint32_t number, struct visible *ret) {
    const struct picture_thing *thing = &picture->things[number];
    visible_add_text(ret, picture_name(thing, picture->arena), LONGEST_NAME);
    if (thing->place.file.length) {
        visible_add(ret, " at ");
        visible_add_text(ret, picture_file_name(thing->place.file), LONGEST_NAME);
        visible_add(ret, ":");
        visible_add_number(ret, thing->place.line);
    }
}

void arrow_words(const struct picture *picture, const struct picture_arrow *arrow,
                 struct visible *ret) {
    add_thing(picture, arrow->from, ret);
    visible_add(ret, " -> ");
    visible_add_text(ret, arrow->path.length ? arrow->path : loupe_span_of("?"), LONGEST_NAME);
    visible_add(ret, " -> ");
    add_thing(picture, arrow->to, ret);
}

static void add_steps(const struct picture *picture, const struct picture_finding *finding,
                      const struct picture_ring *ring, struct visible *ret) {
    struct picture_pieces pieces;
    if (!ring->arrows.count || picture_fold(picture, finding, ring, MOST_STEPS, &pieces))
        return;
    add_thing(picture, finding->arrows[ring->arrows.items[0]].from, ret);
    for (uint32_t i = 0; i < pieces.count; i++) {
        const struct picture_piece *piece = &pieces.items[i];
        if (piece->folded) {
            visible_add(ret, " -> ... ");
            visible_add_number(ret, piece->folded);
            visible_add(ret, " more");
            continue;
        }
        const struct picture_arrow *arrow = &finding->arrows[ring->arrows.items[piece->first]];
        visible_add(ret, " -> ");
        visible_add_text(ret, arrow->path.length ? arrow->path : loupe_span_of("?"), LONGEST_NAME);
        visible_add(ret, " -> ");
        add_thing(picture, arrow->to, ret);
    }
}

/* The best change, or all of those that are needed together. */
static void add_changes(const struct picture_finding *finding, struct visible *ret) {
    uint32_t together = 0;
    for (uint32_t i = 0; i < finding->change_count; i++) {
        if (!finding->changes[i].together)
            continue;
        visible_add(ret, together++ ? "; " : " " ANSWER_ALL_FIXES);
        visible_add_text(ret, finding->changes[i].text, 2 * LONGEST_NAME);
    }
    if (finding->change_count && !together) {
        visible_add(ret, finding->changes->is_enough ? " " ANSWER_FIX : " Breaks one loop only: ");
        visible_add_text(ret, finding->changes->text, 2 * LONGEST_NAME);
    }
    visible_add(ret, finding->change_count ? "." : "");
}

void finding_message(const struct picture *picture, const struct picture_finding *finding,
                     struct visible *ret) {
    struct visible title;
    finding_title(finding, &title);
    ret->length = 0;
    visible_add_text(ret, visible_text(&title), sizeof(title.bytes));
    if (finding->reason.length) {
        visible_add(ret, ": ");
        visible_add_text(ret, finding->reason, LONGEST_NAME);
    }
    visible_add(ret, ". ");
    if (finding->ring_count)
        add_steps(picture, finding, finding->rings, ret);
    else if (finding->head != PICTURE_NONE)
        add_thing(picture, finding->head, ret);
    visible_add(ret, ".");
    if (finding->pattern) {
        visible_add(ret, " ");
        visible_add_text(ret, finding->pattern->name, LONGEST_NAME);
        visible_add(ret, ".");
    }
    add_changes(finding, ret);
}

/* ---- Places ---- */

/* Where what holds it was written, a lambda or a block. */
static const struct picture_place *written_place(const struct picture *picture,
                                                 const struct picture_arrow *arrow) {
    if (arrow->lambda.file.length)
        return &arrow->lambda;
    const struct picture_thing *from = &picture->things[arrow->from];
    return from->place.file.length ? &from->place : NULL;
}

static const struct picture_place *declared_place(const struct picture_arrow *arrow) {
    return arrow->declared.file.length ? &arrow->declared : NULL;
}

const struct picture_place *arrow_place(const struct picture *picture,
                                        const struct picture_arrow *arrow) {
    const struct picture_place *written = written_place(picture, arrow);
    return written ? written : declared_place(arrow);
}

const struct picture_place *finding_place(const struct picture *picture,
                                          const struct picture_finding *finding) {
    const struct picture_place *place = NULL;
    if (finding->change_count && finding->changes[0].cut.count)
        place = arrow_place(picture, &finding->arrows[finding->changes[0].cut.items[0]]);
    for (uint32_t i = 0; !place && i < finding->arrow_count; i++)
        place = written_place(picture, &finding->arrows[i]);
    if (!place && finding->allocated.file.length)
        place = &finding->allocated;
    for (uint32_t i = 0; !place && i < finding->arrow_count; i++)
        place = declared_place(&finding->arrows[i]);
    return place;
}

const struct picture_place *report_place(const struct report_run *run,
                                         const struct picture_finding *finding) {
    const struct picture_place *place = finding_place(run->picture, finding);
    return place || !run->anchor.file.length ? place : &run->anchor;
}

struct loupe_span place_file(const struct report_run *run, const struct picture_place *place) {
    struct loupe_span file = place->file, folder = run->folder;
    if (folder.length && file.length > folder.length + 1 &&
        memcmp(file.bytes, folder.bytes, folder.length) == 0 && file.bytes[folder.length] == '/')
        return (struct loupe_span){file.bytes + folder.length + 1, file.length - folder.length - 1};
    return file;
}
