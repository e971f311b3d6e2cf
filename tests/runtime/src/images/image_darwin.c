/*
 * image_darwin.c - where the Objective-C metadata of Mach-O images is: dyld tells of the images, as
 * it tells Apple's runtime, and each has its sections by name, in whichever segment the linker put
 * them.
 */
#if defined(__APPLE__)
#include "internal.h"

#include <mach-o/loader.h>
#include <string.h>

struct mach_header; /* that of 64 bits begins alike */
typedef void mapped_fn(unsigned count, const char *const paths[],
                       const struct mach_header *const headers[]);
typedef void init_fn(const char *path, const struct mach_header *header);
void _dyld_objc_notify_register(mapped_fn *mapped, init_fn *init, init_fn *unmapped);

struct bounds {
    void *start, *end;
};

static uint64_t slide_of(const struct mach_header_64 *header) {
    const char *at = (const char *)(header + 1);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        const struct segment_command_64 *segment = (const void *)at;
        if (segment->cmd == LC_SEGMENT_64 && strcmp(segment->segname, SEG_TEXT) == 0)
            return (uintptr_t)header - segment->vmaddr;
        at += segment->cmdsize;
    }
    return 0;
}

static bool section_in(const struct segment_command_64 *segment, const char *name, uint64_t slide,
                       struct bounds *ret) {
    const struct section_64 *sections = (const void *)(segment + 1);
    for (uint32_t i = 0; i < segment->nsects; i++) {
        if (strncmp(sections[i].sectname, name, sizeof sections[i].sectname) != 0)
            continue;
        ret->start = (char *)(uintptr_t)(sections[i].addr + slide);
        ret->end = (char *)ret->start + sections[i].size;
        return true;
    }
    return false;
}

static struct bounds section(const struct mach_header_64 *header, const char *name) {
    struct bounds found = {0};
    const char *at = (const char *)(header + 1);
    uint64_t slide = slide_of(header);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        const struct segment_command_64 *segment = (const void *)at;
        if (segment->cmd == LC_SEGMENT_64 && section_in(segment, name, slide, &found))
            break;
        at += segment->cmdsize;
    }
    return found;
}

static void register_image(const struct mach_header_64 *header) {
    struct bounds selectors = section(header, "__objc_selrefs");
    struct bounds classes = section(header, "__objc_classlist");
    struct bounds load_classes = section(header, "__objc_nlclslist");
    struct bounds categories = section(header, "__objc_catlist");
    struct bounds load_categories = section(header, "__objc_nlcatlist");
    struct bounds protocols = section(header, "__objc_protolist");
    struct bounds protocol_refs = section(header, "__objc_protorefs");
    loupe_test_register_image(&(struct loupe_test_image){
        selectors.start, selectors.end, classes.start, classes.end, load_classes.start,
        load_classes.end, categories.start, categories.end, load_categories.start,
        load_categories.end, protocols.start, protocols.end, protocol_refs.start,
        protocol_refs.end});
}

/* The last one needs the others: as dyld orders them, who needs whom comes first. */
static void images_mapped(unsigned count, const char *const paths[],
                          const struct mach_header *const headers[]) {
    (void)paths;
    while (count-- > 0)
        register_image((const struct mach_header_64 *)headers[count]);
}

static void image_starts(const char *path, const struct mach_header *header) {
    (void)path;
    (void)header;
}

__attribute__((constructor(101))) static void ask_dyld(void) {
    _dyld_objc_notify_register(images_mapped, image_starts, image_starts);
}
#endif
