#pragma once
#include <_types.h>
typedef struct _dirdesc DIR;
struct dirent {
    __uint64_t d_ino, d_seekoff;
    __uint16_t d_reclen, d_namlen;
    __uint8_t d_type;
    char d_name[1024];
};
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define DT_UNKNOWN 0
#define DT_DIR     4
#define DT_REG     8
#define DT_LNK     10
#endif
__BEGIN_DECLS
DIR *opendir(const char *) __DARWIN_INODE64(opendir);
DIR *fdopendir(int) __DARWIN_INODE64(fdopendir);
struct dirent *readdir(DIR *) __DARWIN_INODE64(readdir);
int closedir(DIR *);
int dirfd(DIR *);
int alphasort(const struct dirent **, const struct dirent **) __DARWIN_INODE64(alphasort);
int scandir(const char *, struct dirent ***, int (*)(const struct dirent *),
            int (*)(const struct dirent **, const struct dirent **)) __DARWIN_INODE64(scandir);
__END_DECLS
