/*
 * asset.h - the files of this folder that pages hold, as a part of programs.
 */
#ifndef LOUPE_PICTURES_ASSET_H
#define LOUPE_PICTURES_ASSET_H

#include <stddef.h>
#include <stdint.h>

struct asset {
    const char *bytes;
    size_t size;
    uint8_t sha256[32];
};

extern const struct asset asset_style, asset_program, asset_patterns;

#endif
