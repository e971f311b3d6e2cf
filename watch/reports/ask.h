/*
 * ask.h - asking the helper about an object of a program that goes on running.
 *
 * A copy of the process is asked (fork): it stands still, costs the program nothing but the copying
 * of its page tables, and may crash on what it finds without anybody noticing. The copy runs
 * nothing but the helper, which takes no lock and uses no malloc, and is no child that the program
 * could wait for.
 */
#ifndef LOUPE_WATCH_ASK_H
#define LOUPE_WATCH_ASK_H

#include "shared/text_out.h"

#include <stdint.h>

struct watch_answers {
    struct watch_text cycles;   /* of "retain-cycles"; empty: there is none */
    struct watch_text incoming; /* of "incoming-refs", asked where the object is in no ring */
    const char *problem;        /* why there are no answers, or NULL */
};

/*
 * About the object at ~hidden, without the references that filters hide (arguments of
 * loupe_ask_with(), NULL: none). Where these hide all that keeps it alive the second answer has a
 * member "covered" instead, and nothing else counts. To be ended by watch_answers_end().
 */
void watch_ask_helper(uintptr_t hidden, const char *filters, struct watch_answers *ret);
void watch_answers_end(struct watch_answers *answers);

#endif
