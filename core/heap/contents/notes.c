/* What a snapshot says of itself: what could not be looked at, what was not followed. */
#include "heap/snapshot_builder.h"

struct notes {
    struct loupe_snapshot_builder *builder;
    struct loupe_vector *items;
    enum loupe_status status;
};

static void add(struct notes *notes, const char *code, const char *text,
                struct loupe_heap_note about) {
    struct loupe_heap_note *added = loupe_vector_add(notes->items);
    if (!added) {
        notes->status = LOUPE_ENOMEM;
        return;
    }
    *added = about;
    added->code = loupe_heap_text(&notes->builder->tables, code);
    added->text = loupe_heap_text(&notes->builder->tables, text);
}

static void add_counted(struct notes *notes, const char *code, const char *text, uint64_t count,
                        loupe_addr example, bool is_loss) {
    if (count)
        add(notes, code, text,
            (struct loupe_heap_note){.count = count, .example = example, .is_loss = is_loss});
}

/* ---- Places for roots ---- */

/* What a gap means where all memory that can be written is looked at: NULL: nothing is lost. */
static const char *text_of_gap(enum loupe_scene_gap_kind kind) {
    switch (kind) {
    case LOUPE_GAP_REGIONS:
        return "memory after the place where the list of it broke off: objects held from there may "
               "look leaked";
    case LOUPE_GAP_THREADS:
        return "threads that are not known: objects that only their registers hold may look leaked";
    case LOUPE_GAP_REGISTERS:
        return "registers of a thread that are not known: objects that only they hold may look "
               "leaked";
    case LOUPE_GAP_STACK:
        return "a stack whose end is not known: stale values in it may hold leaks";
    case LOUPE_GAP_RESERVED:
        return "regions of more than 64 GB, such as sanitizers reserve: objects held from there "
               "may "
               "look leaked";
    default:
        return NULL;
    }
}

static void note_gaps(struct notes *notes) {
    const struct loupe_scene *scene = notes->builder->scene;
    bool sees_all = scene->writable.items.count != 0;
    for (uint32_t i = 0; i < scene->gaps.count; i++) {
        const struct loupe_scene_gap *gap = loupe_scene_gap(scene, i);
        const char *text = text_of_gap(gap->kind);
        if (sees_all && text)
            add_counted(notes, loupe_scene_gap_name(gap->kind), text, 1, gap->thread,
                        gap->kind != LOUPE_GAP_STACK);
    }
    if (!sees_all)
        add_counted(
            notes, "memory",
            "the system does not report writable memory: objects held from there may look leaked",
            1, 0, true);
}

static void note_kernel(struct notes *notes) {
    const struct loupe_scene *scene = notes->builder->scene;
    add_counted(notes, "kernel",
                scene->kernel_told ? "objects held only by the kernel (except epoll data and timer "
                                     "values) are not seen and may look leaked"
                                   : "objects held only by the kernel (such as event data) are not "
                                     "seen and may look leaked",
                1, 0, false);
    add_counted(notes, "kernel",
                "io_uring: objects held only by its requests are not seen and may look leaked",
                scene->kernel_untold, 0, false);
}

static const char *text_of_unread(enum loupe_unread_reason reason) {
    if (reason == LOUPE_UNREAD_OF_OTHERS)
        return "bytes that were not searched, because another process fills them in (userfaultfd, "
               "FUSE): objects held from there may look leaked";
    if (reason == LOUPE_UNREAD_IN_TIME)
        return "bytes that were not copied before the process ran on (--max-pause): objects held "
               "from there may look leaked";
    return "bytes of shared memory that the process has no pages of, and that were not searched";
}

static enum loupe_status note_unread(void *visitor, const struct loupe_process_unread *unread) {
    add_counted(visitor, loupe_scene_gap_name(loupe_scene_gap_of_unread(unread->reason)),
                text_of_unread(unread->reason), unread->bytes, unread->first, unread->is_loss);
    return LOUPE_OK;
}

static void note_all_unread(struct notes *notes) {
    const struct loupe_memory *memory = notes->builder->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    if (process && process->unread)
        process->unread(memory->ctx, note_unread, notes);
}

static void note_stacks(struct notes *notes) {
    add_counted(notes, "stacks-cut",
                "stacks with more functions than are followed: what the rest of them holds is in "
                "no known function",
                notes->builder->counts.stacks_cut, 0, true);
}

/* ---- Allocators ---- */

static void note_allocators(struct notes *notes) {
    const struct loupe_blocks *blocks = notes->builder->blocks;
    for (uint32_t i = 0; i < blocks->allocators.count; i++) {
        const struct loupe_allocator *allocator = loupe_blocks_allocator(blocks, i);
        if (!allocator->doubt)
            continue;
        add(notes, allocator->guessed ? "allocator-guessed" : "allocator-damaged", allocator->doubt,
            (struct loupe_heap_note){.count = allocator->damaged ? allocator->damaged : 1,
                                     .example = allocator->first_damaged,
                                     .is_loss = true});
    }
    add_counted(notes, "no-allocator",
                "no allocator was recognised, so no allocation is known to be in use",
                !blocks->allocators.count, 0, true);
}

/* ---- References ---- */

static bool is_loss(enum loupe_finding reason) {
    return reason == LOUPE_FINDING_LIMIT || reason == LOUPE_FINDING_INTERRUPTED ||
           reason == LOUPE_FINDING_SEARCH;
}

static void note_findings(struct notes *notes) {
    const struct loupe_findings *findings = &notes->builder->target->findings;
    for (unsigned i = 0; i < LOUPE_FINDING_COUNT; i++) {
        enum loupe_finding reason = (enum loupe_finding)i;
        add_counted(notes, loupe_finding_code(reason), loupe_finding_text(reason),
                    findings->by_reason[i].count, findings->by_reason[i].example, is_loss(reason));
    }
}

enum loupe_status loupe_heap_note_all(struct loupe_snapshot_builder *builder,
                                      struct loupe_vector *items) {
    struct notes notes = {.builder = builder, .items = items};
    const struct loupe_heap_counts *counts = &builder->counts;
    note_allocators(&notes);
    note_gaps(&notes);
    note_all_unread(&notes);
    note_stacks(&notes);
    note_findings(&notes);
    if (builder->options->others_run && builder->threads.count > 1)
        add_counted(
            &notes, "threads-ran",
            "other threads may have run meanwhile, so objects that they moved may look leaked",
            builder->threads.count - 1, 0, true);
    add_counted(&notes, "unreadable-pages", "pages that cannot be read", counts->unreadable,
                counts->first_unreadable, true);
    add_counted(&notes, "references-limit", "references beyond what can be numbered",
                counts->not_linked, 0, true);
    add_counted(&notes, "dangling-limit", "more references to freed objects, which are not listed",
                counts->dangling_left_out, 0, true);
    add_counted(&notes, "freed-objects", "freed objects, counted as non-objects", counts->freed,
                counts->first_freed, false);
    add_counted(&notes, "swift-layouts",
                "references in values of Swift whose layout could not be computed: their fields "
                "stand for them",
                builder->counts.swift_refused, 0, false);
    add_counted(&notes, "unnamed-elements",
                "elements that are not named by their keys, since there are too many",
                builder->tables.unnamed, 0, false);
    add_counted(&notes, "fields-limit", "values of fields beyond the 512th of a class are not kept",
                counts->classes_cut, 0, false);
    add_counted(&notes, "texts-limit",
                "objects whose text is not kept, since the texts of all are longer than 64 MB",
                counts->texts_left_out, 0, false);
    note_kernel(&notes);
    return notes.status;
}
