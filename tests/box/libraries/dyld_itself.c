/*
 * dyld_itself.c - the image that stands for dyld, with the function at which debuggers stop to
 * learn of images.
 */
#include <stdint.h>

struct dyld_image_info;

void lldb_image_notifier(int mode, uint32_t count, const struct dyld_image_info *images) {
    (void)mode;
    (void)count;
    __asm__ volatile("" : : "r"(images) : "memory");
}
