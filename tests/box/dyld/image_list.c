/*
 * image_list.c - dyld_all_image_infos, in memory that the program can see.
 */
#include "../kernel/kernel.h"
#include "../kernel/map.h"
#include "../kernel/ports.h"
#include "../kernel/vm.h"
#include "../loader/images.h"
#include "dyld.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MEGABYTE = 1 << 20, VERSION = 17, DYLD_INFO_FLAVOR = 17, DYLD_INFO_COUNT = 5 };

struct image_info {
    const struct macho_header *header;
    const char *path;
    uintptr_t modified;
};

/* As far as somebody reads it, of 1472 bytes in dyld-1160. */
struct all_image_infos {
    uint32_t version, count;
    struct image_info *images;
    void (*notify)(int mode, uint32_t count, const struct image_info images[]);
    uint8_t detached, has_started;
    const struct macho_header *dyld;
    void *jit;
    const char *dyld_version, *error;
    uint64_t termination_flags;
    void *symbolication;
    uint64_t order;
    uint64_t uuid_count;
    void *uuids;
    struct all_image_infos *own_address;
    uint64_t initial_count, error_kind;
    const char *error_client, *error_target, *error_symbol;
    uint64_t cache_slide;
    uint8_t cache_uuid[16];
    uint64_t cache_base, list_changed;
    const char *dyld_path;
    uint8_t more[1472 - 28 * 8];
};

/* Of the first version that tells where dyld is. */
enum { VERSION_OF_OLD = 2, SIZE_OF_OLD = offsetof(struct all_image_infos, jit) };

enum box_list_place box_dyld_list_place;
static struct all_image_infos *infos;
static char *text_end;

/* Beside the list, as dyld's own copies of paths are. */
static const char *keep_text(const char *text) {
    char *copy = text_end;
    text_end = stpcpy(text_end, text) + 1;
    return copy;
}

static struct image_info *place_list(char *room) {
    uintptr_t border = ((uintptr_t)room + MEGABYTE) & ~(uintptr_t)(MEGABYTE - 1);
    uintptr_t half = box_images.count / 2 * sizeof(struct image_info) + 8;
    return (void *)(box_dyld_list_place == BOX_LIST_ACROSS_MEGABYTE ? border - half
                                                                    : (uintptr_t)room + 8);
}

static bool is_old(void) {
    return box_dyld_list_place == BOX_LIST_ACROSS_MEGABYTE;
}

/* What an older dyld does not have stands in a page that is taken away in the end. */
static void place_infos(char *room) {
    infos = (void *)(is_old() ? room + box_page_size - SIZE_OF_OLD : room + 8);
    *infos = (struct all_image_infos){.version = is_old() ? VERSION_OF_OLD : VERSION,
                                      .own_address = infos};
}

static void end_infos(char *room) {
    if (is_old() && host_mach_vm_protect(box_task_port, (uintptr_t)room + box_page_size,
                                         box_page_size, 0, BOX_PROT_NONE))
        box_fail("the end of an older dyld's list cannot be made");
}

/* While it changes there is no list. */
static void add_to_list(unsigned first) {
    struct image_info *list = infos->images;
    infos->images = NULL;
    for (unsigned i = first; i < box_images.count; i++)
        list[i] = (struct image_info){
            .header = box_images.items[i]->header,
            .path = keep_text(box_path_inside(box_images.items[i])),
        };
    infos->count = box_images.count;
    infos->images = list;
}

static void load_dyld_itself(void) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/usr/lib/dyld", box_root);
    struct box_image *dyld = box_image_map(path, false);
    box_image_protect(dyld);
    infos->dyld = dyld->header;
    infos->notify = (void *)(uintptr_t)box_image_export(dyld, "_lldb_image_notifier");
    infos->dyld_path = keep_text("/usr/lib/dyld");
}

void box_dyld_begin(void) {
    enum { ROOM = 4 * MEGABYTE, TEXTS = 3 * MEGABYTE };
    char *room = box_kernel_pages(ROOM, BOX_TAG_DYLD);
    place_infos(room);
    text_end = room + TEXTS;
    infos->images = place_list(room + 2 * box_page_size);
    load_dyld_itself();
    add_to_list(0);
    infos->initial_count = infos->count;
    infos->has_started = 1;
    end_infos(room);
}

uintptr_t box_dyld_list(void) {
    return (uintptr_t)infos;
}

/* Debuggers stop in that function (dyld/ExternallyViewableState.cpp: addImages). */
void box_dyld_tell_new(unsigned first) {
    enum { ADDING = 0 };
    add_to_list(first);
    if (infos->notify)
        infos->notify(ADDING, infos->count - first, infos->images + first);
    box_dyld_call_new(first);
}

int host_task_info(uint32_t task, uint32_t flavor, int *info, uint32_t *count) {
    const uint64_t told[2] = {(uintptr_t)infos, is_old() ? SIZE_OF_OLD : sizeof(*infos)};
    const int format = 1; /* 64 bits */
    if (task != box_task_port || flavor != DYLD_INFO_FLAVOR || *count < DYLD_INFO_COUNT ||
        box_kernel_is_to_fail("task_info"))
        return BOX_KERN_INVALID_ARGUMENT;
    memcpy(info, told, sizeof(told));
    info[4] = format;
    *count = DYLD_INFO_COUNT;
    return BOX_KERN_SUCCESS;
}
