#pragma once
#include <_types.h>
#define __need_NULL
#include <stddef.h>
__BEGIN_DECLS
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int bcmp(const void *, const void *, size_t);
void bcopy(const void *, void *, size_t);
void bzero(void *, size_t);
#endif
int ffs(int);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
char *index(const char *, int);
char *rindex(const char *, int);
#endif
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, size_t);
__END_DECLS
#include <secure/_strings.h>
