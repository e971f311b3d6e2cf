#include "unwind/repeat.h"

#include "memory/machine.h"
#include "tables/rows.h"

enum { WORD = 8 };

/* ---- Rows ---- */

static unsigned fp_index(const struct loupe_frame_machine *machine) {
    unsigned count, index = 0;
    const uint8_t *registers = loupe_row_registers(machine, &count);
    while (index + 1 < count && registers[index] != machine->fp)
        index++;
    return index;
}

/* False: there is none that is simple enough. */
static bool simplify(const struct loupe_frame_machine *machine, loupe_addr place,
                     struct loupe_repeat_row *ret) {
    struct loupe_row row;
    if (!loupe_row_recall(place, &row))
        return false;
    *ret = (struct loupe_repeat_row){.offset = row.offset,
                                     .return_address = row.return_address,
                                     .fp = row.saved[fp_index(machine)],
                                     .is_from_fp = row.base == machine->fp,
                                     .is_outermost = row.kind == LOUPE_ROW_OUTERMOST};
    return ret->is_outermost || (row.kind == LOUPE_ROW_USUAL && row.return_address &&
                                 (row.base == machine->fp || row.base == machine->sp));
}

static bool find_row(struct loupe_repeat *repeat, const struct loupe_frame_machine *machine,
                     loupe_addr place, struct loupe_repeat_row *ret) {
    unsigned slot = (unsigned)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LOUPE_REPEAT_ROWS;
    if (repeat->rows[slot].place != place) {
        if (!simplify(machine, place, &repeat->rows[slot].row)) {
            repeat->rows[slot].place = 0;
            return false;
        }
        repeat->rows[slot].place = place;
    }
    *ret = repeat->rows[slot].row;
    return true;
}

/* ---- Frames ---- */

static uint64_t word_at(loupe_addr address) {
    uint64_t word;
    memcpy(&word, (const void *)(uintptr_t)address, sizeof(word));
    return word;
}

/* Words from the frame's address to a place in the frame; 0: there is none. */
static uint64_t place_in(const struct loupe_repeat_frame *frame, int8_t words) {
    bool is_inside = words < 0 && frame->address - frame->sp >= (uint64_t)(-words * WORD);
    return is_inside ? frame->address + (uint64_t)(words * WORD) : 0;
}

/* False: its function has no row that is simple enough. */
__attribute__((noinline)) static bool make_frame(struct loupe_repeat *repeat,
                                                 const struct loupe_frame_machine *machine,
                                                 struct loupe_repeat_frame *frame, loupe_addr place,
                                                 uint64_t sp, uint64_t fp, bool knows_fp) {
    struct loupe_repeat_row row;
    *frame = (struct loupe_repeat_frame){.sp = sp};
    if (!find_row(repeat, machine, place, &row) || (row.is_from_fp && !knows_fp))
        return false;
    frame->address = (row.is_from_fp ? fp : sp) + (uint64_t)(int64_t)row.offset;
    if (!row.is_outermost) {
        frame->return_at = frame->address > sp ? place_in(frame, row.return_address) : 0;
        frame->fp_at = place_in(frame, row.fp);
        if (!frame->return_at || (row.fp && !frame->fp_at))
            return false;
    }
    /* Else it may be anything that the program has in that register, an object too, which this copy
     * would keep alive for whoever looks for what nothing leads to. */
    if (row.is_from_fp)
        frame->fp = fp;
    frame->is_from_fp = row.is_from_fp;
    frame->place = place;
    return true;
}

/* Where addresses go: the first ones are left out. */
struct room {
    uint64_t *addresses;
    size_t cap, skip;
};

/* False: it has to be walked. */
static bool repeat_walk(struct loupe_repeat *repeat, const struct loupe_frame *from,
                        const struct loupe_range *proved, struct room room,
                        struct loupe_unwound *found_ret) {
    const struct loupe_frame_machine *machine = loupe_frame_machine_of(loupe_own_machine.arch);
    /* Where return addresses are signed they are not what a place is known by. */
    if (!machine || machine->link != UINT8_MAX || !loupe_frame_knows(from, machine->sp) ||
        !loupe_frame_knows(from, machine->pc))
        return false;
    uint64_t pc = from->registers[machine->pc], sp = from->registers[machine->sp];
    uint64_t fp = from->registers[machine->fp], end = proved->end;
    bool knows_fp = loupe_frame_knows(from, machine->fp);
    loupe_addr place = loupe_frame_place(from, pc);
    size_t count = 0;
    *found_ret = (struct loupe_unwound){.end = LOUPE_UNWIND_FULL};
    if (sp < proved->start)
        return false;
    while (pc) {
        if (room.skip)
            room.skip--;
        else
            room.addresses[count++] = pc;
        found_ret->count = count;
        if (count == room.cap)
            return true;
        struct loupe_repeat_frame *frame = &repeat->frames[sp / (2 * WORD) % LOUPE_REPEAT_FRAMES];
        bool is_same = frame->sp == sp && frame->place == place &&
                       (!frame->is_from_fp || (knows_fp && frame->fp == fp));
        if (!is_same && !make_frame(repeat, machine, frame, place, sp, fp, knows_fp))
            return false;
        if (!frame->return_at)
            break;
        /* What is saved of a function is in its frame, which the stack holds. */
        if (frame->address > end)
            return false;
        pc = word_at(frame->return_at);
        if (frame->fp_at) {
            fp = word_at(frame->fp_at);
            knows_fp = true;
        }
        sp = frame->address;
        place = pc - 1;
    }
    found_ret->end = LOUPE_UNWIND_OUTERMOST;
    return true;
}

struct loupe_unwound loupe_unwind_repeated(struct loupe_repeat *repeat,
                                           const struct loupe_frame *from,
                                           struct loupe_range *proved, size_t skip, uint64_t *ret,
                                           size_t cap) {
    struct loupe_unwound found;
    uint64_t generation = loupe_rows_generation();
    if (repeat->generation != generation) {
        memset(repeat, 0, sizeof(*repeat));
        repeat->generation = generation;
    }
    struct room room = {.addresses = ret, .cap = cap, .skip = skip};
    return cap && proved && repeat_walk(repeat, from, proved, room, &found)
               ? found
               : loupe_unwind_own(from, proved, skip, ret, cap);
}
