#include "class_list.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct noted_class {
    watch_class cls;
    char *name;
};

static struct {
    pthread_mutex_t lock;
    bool is_whole; /* nothing of it is missing for want of memory */
    uint64_t hash; /* of the list in its order */
    struct noted_class *items;
    int count;
} noted = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * Never with more room than there are classes: libobjc2 frees its enumerator twice once that has
 * told of all of them. Classes that come meanwhile are met when they are bound (watched_rules.c).
 */
watch_class *watch_class_list_copy(int *ret_count) {
    const struct watch_objc *objc = watch_objc();
    int room = objc->objc_getClassList(NULL, 0);
    watch_class *classes = malloc(((size_t)room + 1) * sizeof(*classes));
    int count = classes && room ? objc->objc_getClassList(classes, room) : 0;
    *ret_count = count < room ? count : room;
    return classes;
}

/* Runtimes list classes by their names or by their superclasses: with another class in the place
 * of one the order is most often another. */
static uint64_t hash_of(const watch_class *classes, int count) {
    uint64_t hash = (uint64_t)count;
    for (int i = 0; i < count; i++) {
        hash = (hash ^ (uintptr_t)classes[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static void forget(void) {
    for (int i = 0; i < noted.count; i++)
        free(noted.items[i].name);
    free(noted.items);
    noted.items = NULL;
    noted.count = 0;
}

/* Of two of one name the runtime finds one. */
static void note_one(watch_class cls) {
    const char *own_name = watch_objc()->class_getName(cls);
    if (watch_objc()->objc_lookUpClass(own_name) != cls)
        return;
    char *name = strdup(own_name);
    noted.is_whole &= name != NULL;
    if (name)
        noted.items[noted.count++] = (struct noted_class){cls, name};
}

void watch_class_list_note(bool (*matters)(watch_class cls)) {
    int count;
    watch_class *classes = watch_class_list_copy(&count);
    pthread_mutex_lock(&noted.lock);
    forget();
    noted.items = classes ? malloc(((size_t)count + 1) * sizeof(*noted.items)) : NULL;
    noted.is_whole = noted.items != NULL;
    noted.hash = classes ? hash_of(classes, count) : 0;
    for (int i = 0; noted.items && i < count; i++) {
        if (matters(classes[i]))
            note_one(classes[i]);
    }
    pthread_mutex_unlock(&noted.lock);
    free(classes);
}

static bool have_names_moved(void) {
    for (int i = 0; i < noted.count; i++) {
        if (watch_objc()->objc_lookUpClass(noted.items[i].name) != noted.items[i].cls)
            return true;
    }
    return false;
}

bool watch_class_list_has_changed(void) {
    int count;
    watch_class *classes = watch_class_list_copy(&count);
    pthread_mutex_lock(&noted.lock);
    bool has_changed =
        !classes || !noted.is_whole || hash_of(classes, count) != noted.hash || have_names_moved();
    pthread_mutex_unlock(&noted.lock);
    free(classes);
    return has_changed;
}
