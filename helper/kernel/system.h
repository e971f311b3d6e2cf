/*
 * system.h - the system calls that the helper makes on Linux beside those of kernel.h, by number as
 * those. All return what the kernel does: a negative number is an error.
 */
#ifndef LOUPE_HELPER_SYSTEM_H
#define LOUPE_HELPER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct iovec;

/* What identifies a file, as /proc/self/maps shows it, and its size. */
struct loupe_system_file {
    uint64_t inode;
    uint32_t device_major, device_minor;
    uint64_t size;
};

/* For reading; negative when it cannot be had. Where the program may not open more files, its limit
 * is raised for a moment, as far as it may be. */
int loupe_system_open(const char *path);
long loupe_system_read(int file, void *dst, size_t len);
/* From a place on, wherever the file stands. */
long loupe_system_read_at(int file, void *dst, size_t len, uint64_t offset);
/* Where the first bytes from an offset on stand that are no hole; LOUPE_SYSTEM_NO_DATA; another
 * negative number: it is not known. */
enum { LOUPE_SYSTEM_NO_DATA = -6 /* ENXIO */ };
int64_t loupe_system_find_data(int file, uint64_t offset);
void loupe_system_close(int file);
/* As far as this system knows without asking a server. False: it is no plain file. */
bool loupe_system_stat(int file, struct loupe_system_file *ret);
/* What the kernel calls a file that is open, cut off where there is no room and without a NUL: its
 * length, or an error. */
long loupe_system_file_name(uint64_t file, char *dst, size_t len);
/* A whole file, read-only; NULL when it cannot be mapped. */
const void *loupe_system_map_file(int file, size_t size);
void loupe_system_unmap_file(const void *bytes, size_t size);

/* Entries of a folder, as getdents64() has them: the bytes read, 0 at the end. */
long loupe_system_list(int folder, void *dst, size_t len);
/* The number of the thread that asks. */
int loupe_system_thread(void);

/* Copies from count places of this process to one. The bytes copied, or an error. */
long loupe_system_copy(const struct iovec *to, const struct iovec *from, size_t count);
int loupe_system_mincore(uint64_t start, size_t len, uint8_t *resident);
size_t loupe_system_page_size(void);

#endif
