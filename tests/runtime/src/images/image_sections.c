/*
 * image_sections.c - linked into every image with Objective-C code: hands its sections to the
 * runtime before any other constructor of the image runs.
 *
 * The linker provides __start_ and __stop_ symbols for sections whose names are C identifiers, as
 * clang's are on ELF; a section that the image does not have leaves them NULL.
 */
#include "internal.h"

#define SECTION(name)                                                                              \
    extern char __start_##name[] __attribute__((weak, visibility("hidden")));                      \
    extern char __stop_##name[] __attribute__((weak, visibility("hidden")))

SECTION(objc_selrefs);
SECTION(objc_classlist);
SECTION(objc_nlclslist);
SECTION(objc_catlist);
SECTION(objc_nlcatlist);
SECTION(objc_protolist);
SECTION(objc_protorefs);

#define BOUNDS(name) (void *)__start_##name, (void *)__stop_##name

__attribute__((constructor(101))) static void register_sections(void) {
    const struct loupe_test_image image = {
        BOUNDS(objc_selrefs),   BOUNDS(objc_classlist), BOUNDS(objc_nlclslist),
        BOUNDS(objc_catlist),   BOUNDS(objc_nlcatlist), BOUNDS(objc_protolist),
        BOUNDS(objc_protorefs),
    };
    loupe_test_register_image(&image);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/* What leads to class data are words with bits of the runtime's own, which LeakSanitizer does not
 * follow. It asks the program alone, so that this stands in each. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:rt_meta_alloc\n";
}
#endif
#endif
