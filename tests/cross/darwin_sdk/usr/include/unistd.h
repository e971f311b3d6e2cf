#pragma once
#include <_types.h>
#include <sys/select.h>
#define __need_NULL
#include <stddef.h>
#define STDIN_FILENO  0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK          0
#define X_OK          1
#define W_OK          2
#define R_OK          4
#define _SC_CLK_TCK   3
#define _SC_OPEN_MAX  5
#define _SC_PAGESIZE  29
#define _SC_PAGE_SIZE _SC_PAGESIZE
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define _SC_NPROCESSORS_CONF 57
#define _SC_NPROCESSORS_ONLN 58
#define _SC_PHYS_PAGES       200
#endif
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
__BEGIN_DECLS
void _exit(int) __dead2;
int access(const char *, int);
unsigned alarm(unsigned);
int chdir(const char *);
int close(int);
int dup(int);
int dup2(int, int);
int execl(const char *, const char *, ...) __attribute__((__sentinel__));
int execlp(const char *, const char *, ...) __attribute__((__sentinel__));
int execv(const char *, char *const *);
int execve(const char *, char *const *, char *const *);
int execvp(const char *, char *const *);
pid_t fork(void);
int fsync(int);
int ftruncate(int, off_t);
char *getcwd(char *, size_t);
uid_t geteuid(void);
int getopt(int, char *const[], const char *);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int getpagesize(void);
#endif
pid_t getpgrp(void);
pid_t getpid(void);
pid_t getppid(void);
uid_t getuid(void);
int isatty(int);
int link(const char *, const char *);
off_t lseek(int, off_t, int);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
char *mkdtemp(char *);
int mkstemps(char *, int);
#endif
int pause(void);
int pipe(int[2]);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
ssize_t read(int, void *, size_t);
ssize_t readlink(const char *__restrict, char *__restrict, size_t);
ssize_t readlinkat(int, const char *, char *, size_t);
int rmdir(const char *);
int setpgid(pid_t, pid_t);
pid_t setsid(void);
unsigned sleep(unsigned);
int symlink(const char *, const char *);
int symlinkat(const char *, int, const char *);
long sysconf(int);
int truncate(const char *, off_t);
int unlink(const char *);
int unlinkat(int, const char *, int);
int usleep(useconds_t);
ssize_t write(int, const void *, size_t);
extern char *optarg;
extern int optind, opterr, optopt;

#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int syscall(int, ...) __deprecated_msg("call the function of the C library");
#endif
pid_t vfork(void) __deprecated_msg("use posix_spawn or fork") __attribute__((__returns_twice__));
__END_DECLS
