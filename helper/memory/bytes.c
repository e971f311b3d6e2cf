/*
 * The memory and string functions that the core and the compiler call, for this library alone: the
 * program's may be a sanitizer's, which reports a read of freed or poisoned memory as the program's
 * error, or may need the loader to be found. Compiled without builtins, so that no loop here
 * becomes a call of itself.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t len) {
    unsigned char *to = dst;
    const unsigned char *from = src;
#if defined(__x86_64__)
    /* Fast in hardware for long runs; short ones take the loops below. */
    if (len >= 256) {
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
        return dst;
    }
#endif
    for (; len >= 8; len -= 8, to += 8, from += 8)
        __builtin_memcpy(to, from, 8);
    for (; len; len--)
        *to++ = *from++;
    return dst;
}

/* Of a run that is copied from its end on, what is read next stands below what is written. */
static void copy_downwards(unsigned char *to, const unsigned char *from, size_t len) {
    while (len >= 8) {
        uint64_t word;
        len -= 8;
        __builtin_memcpy(&word, from + len, 8);
        __builtin_memcpy(to + len, &word, 8);
    }
    while (len--)
        to[len] = from[len];
}

void *memmove(void *dst, const void *src, size_t len) {
    unsigned char *to = dst;
    const unsigned char *from = src;
    if (to > from && to < from + len)
        copy_downwards(to, from, len);
    else if (to < from && from < to + len)
        while (len--)
            *to++ = *from++;
    else
        memcpy(dst, src, len);
    return dst;
}

void *memset(void *dst, int value, size_t len) {
    unsigned char *to = dst;
    uint64_t pattern = (unsigned char)value * UINT64_C(0x0101010101010101);
#if defined(__x86_64__)
    if (len >= 256) {
        __asm__ volatile("rep stosb" : "+D"(to), "+c"(len) : "a"(value) : "memory");
        return dst;
    }
#endif
    for (; len >= 8; len -= 8, to += 8)
        __builtin_memcpy(to, &pattern, 8);
    for (; len; len--)
        *to++ = (unsigned char)value;
    return dst;
}

int memcmp(const void *left, const void *right, size_t len) {
    const unsigned char *a = left, *b = right;
    for (; len; len--, a++, b++)
        if (*a != *b)
            return *a < *b ? -1 : 1;
    return 0;
}

/* What clang makes of a memcmp() that is only compared with 0. No header of C declares it. */
int bcmp(const void *left, const void *right, size_t len);

int bcmp(const void *left, const void *right, size_t len) {
    return memcmp(left, right, len);
}

void *memchr(const void *bytes, int value, size_t len) {
    const unsigned char *at = bytes;
    for (; len; len--, at++)
        if (*at == (unsigned char)value)
            return (void *)(uintptr_t)at;
    return NULL;
}

size_t strlen(const char *text) {
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

int strcmp(const char *left, const char *right) {
    while (*left && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

int strncmp(const char *left, const char *right, size_t cap) {
    for (; cap; cap--, left++, right++) {
        if (*left != *right)
            return (unsigned char)*left - (unsigned char)*right;
        if (!*left)
            return 0;
    }
    return 0;
}

#if defined(__APPLE__)
/* What clang makes of clearing memory there. */
void bzero(void *dst, size_t len);
void __bzero(void *dst, size_t len);

void bzero(void *dst, size_t len) {
    memset(dst, 0, len);
}

void __bzero(void *dst, size_t len) {
    memset(dst, 0, len);
}
#endif
