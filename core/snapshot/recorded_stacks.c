#include "snapshot/recorded_stacks.h"

void loupe_snapshot_read_stack(const struct loupe_snapshot *snapshot, uint32_t stack,
                               struct loupe_recorded_stack *ret) {
    const struct loupe_native_heap *native = snapshot->native;
    ret->count = 0;
    /* Cap: the stack is not whole. */
    while (stack < native->call_count && ret->count < LOUPE_MOST_RECORDED_FRAMES) {
        const struct loupe_recorded_call *call = &native->calls[stack];
        ret->frames[ret->count++] = &native->frames[call->frame];
        stack = call->caller;
    }
    ret->whole = stack == LOUPE_NONE;
}

/* A setter that the compiler wrote has the runtime set its ivar. */
static bool sets_property(const struct loupe_snapshot *snapshot,
                          const struct loupe_recorded_frame *frame) {
    return loupe_span_starts_with(loupe_snapshot_string(snapshot, frame->function),
                                  "objc_setProperty");
}

const struct loupe_recorded_frame *loupe_snapshot_guilty(const struct loupe_snapshot *snapshot,
                                                         uint32_t stack) {
    struct loupe_recorded_stack read;
    loupe_snapshot_read_stack(snapshot, stack, &read);
    for (uint32_t i = 0; i < read.count; i++) {
        bool is_setter = i && sets_property(snapshot, read.frames[i - 1]);
        if (!(read.frames[i]->flags & LOUPE_FRAME_FOREIGN) && !is_setter)
            return read.frames[i];
    }
    return read.count ? read.frames[0] : NULL;
}
