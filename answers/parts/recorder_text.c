/* What was not recorded. */
#include "answers/parts/recorder_text.h"

static void say_left_out(struct answer_lines *lines, uint64_t count, const char *noun) {
    if (!count)
        return;
    answer_say(lines, "Not recorded for want of memory: ");
    answer_say_count(lines, count, noun);
    answer_say(lines, " (LOUPE_RECORD_LIMIT)");
    answer_end_line(lines);
}

void answer_say_recorder_of(struct answer_lines *lines, const struct answer_recorder *recorder) {
    if (recorder->is_bypassed) {
        answer_say(lines, "Allocations are not recorded: the program's own malloc is called in "
                          "place of the recorder's");
        answer_end_line(lines);
    }
    if (recorder->is_other_version) {
        answer_say(lines, "Allocations are not read: libloupe_record is of another version");
        answer_end_line(lines);
    }
    say_left_out(lines, recorder->blocks_left_out, "allocation");
    say_left_out(lines, recorder->stacks_left_out, "stack");
}
