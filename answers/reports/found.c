/* How many retain cycles there are. */
#include "answers/reports/found.h"

static const char *new_of(const struct answer_found *found) {
    return found->is_new ? "new " : "";
}

/* "held retain cycle", by what they all are. */
static void say_certain(struct answer_lines *lines, const struct answer_found *found) {
    bool is_one_state = found->certain == found->leaked || found->certain == found->held;
    const char *state = !is_one_state ? "" : found->leaked ? "leaked " : "held ";
    answer_say_number(lines, found->certain);
    answer_say(lines, " %s%sretain cycle%s", new_of(found), state, found->certain == 1 ? "" : "s");
    if (is_one_state || !found->leaked)
        return;
    answer_say(lines, " (%s",
               found->certain + found->possible > found->described ? "at least " : "");
    answer_say_number(lines, found->leaked);
    answer_say(lines, " leaked)");
}

void answer_say_how_many_found(struct answer_lines *lines, const struct answer_found *found) {
    if (!found->certain && !found->possible) {
        answer_say(lines, "No %sretain cycle", new_of(found));
    } else if (!found->certain) {
        answer_say_number(lines, found->possible);
        answer_say(lines, " %spossible retain cycle%s", new_of(found),
                   found->possible == 1 ? "" : "s");
    } else {
        say_certain(lines, found);
    }
    if (found->certain && found->possible) {
        answer_say(lines, " and ");
        answer_say_number(lines, found->possible);
        answer_say(lines, " possible");
    }
}
