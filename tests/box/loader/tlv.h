/*
 * tlv.h - thread-local variables: each has a descriptor whose function gives the address of the
 * variable for the thread that asks, and keeps every register but the one of the result (dyld-1160,
 * libdyld/ThreadLocalVariables).
 */
#ifndef LOUPE_BOX_TLV_H
#define LOUPE_BOX_TLV_H

#include "image.h"

struct box_tlv_descriptor {
    void *(*address)(struct box_tlv_descriptor *descriptor);
    uint64_t key; /* of the image */
    uint64_t offset;
};

void box_tlv_prepare(struct box_image *image);

/* In tlv_x86_64.S or tlv_arm64.S; not for C, which may use more registers than it keeps. */
void *box_tlv_address(struct box_tlv_descriptor *descriptor);
/* What that calls. */
void *box_tlv_find(const struct box_tlv_descriptor *descriptor);

#endif
