#pragma once
#define O_WRONLY   0x0001
#define O_NOFOLLOW 0x0100
#define O_CREAT    0x0200
#define O_TRUNC    0x0400
#define O_EXCL     0x0800
#define O_NOCTTY   0x20000
#define O_CLOEXEC  0x1000000
int open(const char *path, int flags, ...);
