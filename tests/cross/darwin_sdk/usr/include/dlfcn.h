#pragma once
#include <sys/cdefs.h>
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
typedef struct dl_info {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
#endif
#define RTLD_LAZY   0x1
#define RTLD_NOW    0x2
#define RTLD_LOCAL  0x4
#define RTLD_GLOBAL 0x8
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define RTLD_NOLOAD   0x10
#define RTLD_NODELETE 0x80
#define RTLD_NEXT     ((void *)-1)
#define RTLD_DEFAULT  ((void *)-2)
#define RTLD_SELF     ((void *)-3)
#endif
__BEGIN_DECLS
void *dlopen(const char *, int);
void *dlsym(void *, const char *);
int dlclose(void *);
char *dlerror(void);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int dladdr(const void *, Dl_info *);
#endif
__END_DECLS
