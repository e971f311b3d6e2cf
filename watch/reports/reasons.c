#include "reasons.h"

#include "report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of numbers above WATCH_REASON_TIME. The last one stands for those that there is no room for. */
enum { FIRST_CAPACITY = 64, OTHER = UINT16_MAX };

static char **reasons;
static uint16_t count;
static uint32_t capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool reserve(void) {
    if (count < capacity)
        return true;
    uint32_t larger = capacity ? capacity * 2 : FIRST_CAPACITY;
    char **grown = larger <= OTHER + 1 ? realloc(reasons, larger * sizeof(*grown)) : NULL;
    if (!grown)
        return false;
    reasons = grown;
    capacity = larger;
    return true;
}

static uint16_t add(const char *words) {
    char *copy = count + 1 < OTHER && reserve() ? strdup(words) : NULL;
    if (!copy)
        return OTHER;
    reasons[count++] = copy;
    return count;
}

uint16_t watch_reason(const char *words) {
    static bool is_reported;
    uint16_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < count && strcmp(reasons[i], words) != 0)
        i++;
    uint16_t reason = i < count ? i + 1 : add(words);
    bool is_first_lost = reason == OTHER && !is_reported;
    is_reported = is_reported || is_first_lost;
    pthread_mutex_unlock(&lock);
    if (is_first_lost)
        watch_tell("there is no room for more than %u reasons: later ones are not told apart",
                   count);
    return reason;
}

const char *watch_reason_words(uint16_t reason, watch_time delay, char dst[WATCH_REASON_WORDS]) {
    snprintf(dst, WATCH_REASON_WORDS, "for one of too many reasons");
    if (reason == WATCH_REASON_TIME) {
        snprintf(dst, WATCH_REASON_WORDS, "it was expected to die within %g s",
                 (double)delay / (double)WATCH_TICKS_PER_SECOND);
        return dst;
    }
    pthread_mutex_lock(&lock);
    const char *words = reason <= count ? reasons[reason - 1] : dst;
    pthread_mutex_unlock(&lock);
    return words;
}
