#pragma once
#include <_types.h>
#define __need_NULL
#include <stddef.h>
__BEGIN_DECLS
void *memccpy(void *, const void *, int, size_t);
void *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memcpy(void *, const void *, size_t);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
void *memmem(const void *, size_t, const void *, size_t);
#endif
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
char *stpcpy(char *, const char *);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
char *strcasestr(const char *, const char *);
#endif
char *strcat(char *, const char *);
char *strchr(const char *, int);
int strcmp(const char *, const char *);
int strcoll(const char *, const char *);
char *strcpy(char *, const char *);
size_t strcspn(const char *, const char *);
char *strdup(const char *);
char *strerror(int);
int strerror_r(int, char *, size_t);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
size_t strlcat(char *, const char *, size_t);
size_t strlcpy(char *, const char *, size_t);
#endif
size_t strlen(const char *);
char *strncat(char *, const char *, size_t);
int strncmp(const char *, const char *, size_t);
char *strncpy(char *, const char *, size_t);
char *strndup(const char *, size_t);
size_t strnlen(const char *, size_t);
char *strpbrk(const char *, const char *);
char *strrchr(const char *, int);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
char *strsep(char **, const char *);
#endif
char *strsignal(int);
size_t strspn(const char *, const char *);
char *strstr(const char *, const char *);
char *strtok(char *, const char *);
char *strtok_r(char *, const char *, char **);
size_t strxfrm(char *, const char *, size_t);
__END_DECLS
#include <secure/_string.h>
#include <strings.h>
