#include "reasons.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REASONS = 4096 };

static char *reasons[MOST_REASONS];
static uint16_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint16_t watch_reason(const char *words) {
    uint16_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < count && strcmp(reasons[i], words) != 0)
        i++;
    if (i == count && count < MOST_REASONS && (reasons[i] = strdup(words)))
        count++;
    pthread_mutex_unlock(&lock);
    return i;
}

const char *watch_reason_words(uint16_t reason) {
    pthread_mutex_lock(&lock);
    const char *words = reason < count ? reasons[reason] : "for one of many reasons";
    pthread_mutex_unlock(&lock);
    return words;
}
