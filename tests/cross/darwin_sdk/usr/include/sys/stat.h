#pragma once
#include <sys/_timespec.h>
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
#if !defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE)
    struct timespec st_atimespec, st_mtimespec, st_ctimespec, st_birthtimespec;
#else
    time_t st_atime;
    long st_atimensec;
    time_t st_mtime;
    long st_mtimensec;
    time_t st_ctime;
    long st_ctimensec;
    time_t st_birthtime;
    long st_birthtimensec;
#endif
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    __uint32_t st_flags, st_gen;
    __int32_t st_lspare;
    __int64_t st_qspare[2];
};
#if !defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE)
#define st_atime     st_atimespec.tv_sec
#define st_mtime     st_mtimespec.tv_sec
#define st_ctime     st_ctimespec.tv_sec
#define st_birthtime st_birthtimespec.tv_sec
#endif
#define S_IFMT         0170000
#define S_IFIFO        0010000
#define S_IFCHR        0020000
#define S_IFDIR        0040000
#define S_IFBLK        0060000
#define S_IFREG        0100000
#define S_IFLNK        0120000
#define S_IFSOCK       0140000
#define S_IRWXU        0000700
#define S_IRUSR        0000400
#define S_IWUSR        0000200
#define S_IXUSR        0000100
#define S_ISDIR(mode)  (((mode)&S_IFMT) == S_IFDIR)
#define S_ISREG(mode)  (((mode)&S_IFMT) == S_IFREG)
#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)
#define S_ISLNK(mode)  (((mode)&S_IFMT) == S_IFLNK)
__BEGIN_DECLS
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int fstat(int, struct stat *) __DARWIN_INODE64(fstat);
int fstatat(int, const char *, struct stat *, int) __DARWIN_INODE64(fstatat);
int lstat(const char *, struct stat *) __DARWIN_INODE64(lstat);
int mkdir(const char *, mode_t);
int mkdirat(int, const char *, mode_t);
int mkfifo(const char *, mode_t);
int stat(const char *, struct stat *) __DARWIN_INODE64(stat);
mode_t umask(mode_t);
__END_DECLS
