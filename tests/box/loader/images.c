#include "images.h"

#include "../dyld/dyld.h"
#include "binding.h"
#include "initializers.h"
#include "tlv.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__aarch64__)
enum { OWN_MACHINE = MACHO_ARM64 };
#else
enum { OWN_MACHINE = MACHO_X86_64 };
#endif

struct box_images box_images;
const char *box_root = "";
bool box_has_shared_cache;

/* ---- Where a library is ---- */

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_there(const char *path) {
    return access(path, R_OK) == 0;
}

/* The folder of an image and what follows. */
static bool beside(const struct box_image *image, const char *rest, char path[PATH_MAX]) {
    const char *slash = strrchr(image->path, '/');
    int length = slash ? (int)(slash - image->path) : 1;
    snprintf(path, PATH_MAX, "%.*s/%s", length, slash ? image->path : ".", rest);
    return is_there(path);
}

static bool by_prefix(const char *name, const struct box_image *from, char path[PATH_MAX]) {
    if (starts_with(name, "@loader_path/"))
        return beside(from, name + strlen("@loader_path/"), path);
    if (starts_with(name, "@executable_path/"))
        return beside(box_images.items[0], name + strlen("@executable_path/"), path);
    snprintf(path, PATH_MAX, "%s%s", *name == '/' ? box_root : "", name);
    if (is_there(path))
        return true;
    snprintf(path, PATH_MAX, "%s", name);
    return is_there(path);
}

static bool by_rpaths(const struct box_image *of, const char *rest, char path[PATH_MAX]) {
    for (unsigned i = 0; i < of->rpath_count; i++) {
        char name[PATH_MAX];
        snprintf(name, sizeof(name), "%s/%s", of->rpaths[i], rest);
        if (by_prefix(name, of, path))
            return true;
    }
    return false;
}

static bool locate(const char *name, const struct box_image *from, char path[PATH_MAX]) {
    if (!starts_with(name, "@rpath/"))
        return by_prefix(name, from, path);
    const char *rest = name + strlen("@rpath/");
    return by_rpaths(from, rest, path) || by_rpaths(box_images.items[0], rest, path);
}

/* ---- Loading ---- */

static struct box_image *loaded_as(const char *name) {
    for (unsigned i = 0; i < box_images.count; i++) {
        const struct box_image *image = box_images.items[i];
        if (strcmp(image->path, name) == 0 ||
            (image->install_name && strcmp(image->install_name, name) == 0))
            return box_images.items[i];
    }
    return NULL;
}

static struct box_image *add(const char *path) {
    size_t length = strlen(box_root);
    bool in_cache = box_has_shared_cache && length && strncmp(path, box_root, length) == 0;
    if (box_images.count == BOX_MOST_IMAGES)
        box_fail("too many images");
    struct box_image *image = box_image_map(path, in_cache);
    if (image->header->machine != OWN_MACHINE)
        box_fail("%s is not for this processor", path);
    return box_images.items[box_images.count++] = image;
}

static struct box_image *load(const char *name, const struct box_image *from) {
    char path[PATH_MAX];
    struct box_image *there = loaded_as(name);
    if (there || !locate(name, from, path))
        return there;
    there = loaded_as(path);
    return there ? there : add(path);
}

/* What the images from first on need, until nothing new comes. */
static void load_needed(unsigned first) {
    for (unsigned i = first; i < box_images.count; i++) {
        struct box_image *image = box_images.items[i];
        for (unsigned j = 0; j < image->library_count; j++) {
            struct box_library *library = &image->libraries[j];
            library->image = load(library->name, image);
            if (!library->image && library->kind != (uint32_t)MACHO_LOAD_WEAK)
                box_fail("%s needs %s, which is not there", image->path, library->name);
        }
    }
}

static void bind_from(unsigned first) {
    for (unsigned i = first; i < box_images.count; i++)
        box_image_bind(box_images.items[i]);
    for (unsigned i = first; i < box_images.count; i++)
        box_tlv_prepare(box_images.items[i]);
}

void box_images_start(const char *program, const char *const *inserted, unsigned inserted_count) {
    add(program);
    for (unsigned i = 0; i < inserted_count; i++)
        if (!load(inserted[i], box_images.items[0]))
            box_fail("there is no %s to insert", inserted[i]);
    load_needed(0);
    /* Those first, because what they interpose is not known before they are bound. */
    for (unsigned i = 1; i <= inserted_count; i++) {
        box_image_bind(box_images.items[i]);
        box_interpose_add(box_images.items[i]);
    }
    bind_from(0);
    box_dyld_begin();
    box_initialize_from(0);
}

struct box_image *box_images_open(const char *name, const struct box_image *from) {
    unsigned before = box_images.count;
    struct box_image *image = load(name, from);
    if (!image)
        return NULL;
    load_needed(before);
    bind_from(before);
    box_dyld_tell_new(before);
    box_initialize_from(before);
    return image;
}

/* ---- Questions ---- */

uint64_t box_images_find(const char *name) {
    for (unsigned i = 0; i < box_images.count; i++) {
        uint64_t found = box_image_export(box_images.items[i], name);
        if (found)
            return found;
    }
    return 0;
}

struct box_image *box_images_holding(uint64_t address) {
    for (unsigned i = 0; i < box_images.count; i++)
        if (box_image_holds(box_images.items[i], address))
            return box_images.items[i];
    return NULL;
}
