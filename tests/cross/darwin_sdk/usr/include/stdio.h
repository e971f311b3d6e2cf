#pragma once
#include <_types.h>
#define __need_NULL
#include <stddef.h>
typedef __darwin_va_list va_list;
typedef struct __sFILE FILE;
typedef off_t fpos_t;
#define EOF          (-1)
#define BUFSIZ       1024
#define FILENAME_MAX 1024
#define FOPEN_MAX    20
#define L_tmpnam     1024
#define TMP_MAX      308915776
#define SEEK_SET     0
#define SEEK_CUR     1
#define SEEK_END     2
#define _IOFBF       0
#define _IOLBF       1
#define _IONBF       2

__BEGIN_DECLS
extern FILE *__stdinp, *__stdoutp, *__stderrp;
#define stdin  __stdinp
#define stdout __stdoutp
#define stderr __stderrp

void clearerr(FILE *);
int dprintf(int, const char *__restrict, ...) __printflike(2, 3);
int fclose(FILE *);
int feof(FILE *);
int ferror(FILE *);
int fflush(FILE *);
int fgetc(FILE *);
int fgetpos(FILE *__restrict, fpos_t *);
char *fgets(char *__restrict, int, FILE *);
int fileno(FILE *);
#if defined(_DARWIN_C_SOURCE)
FILE *fopen(const char *__restrict, const char *__restrict) __DARWIN_EXTSN(fopen);
#else
FILE *fopen(const char *__restrict, const char *__restrict);
#endif
int fprintf(FILE *__restrict, const char *__restrict, ...) __printflike(2, 3);
int fputc(int, FILE *);
int fputs(const char *__restrict, FILE *__restrict);
size_t fread(void *__restrict, size_t, size_t, FILE *__restrict);
FILE *freopen(const char *__restrict, const char *__restrict, FILE *__restrict);
int fscanf(FILE *__restrict, const char *__restrict, ...) __scanflike(2, 3);
int fseek(FILE *, long, int);
int fseeko(FILE *, off_t, int);
int fsetpos(FILE *, const fpos_t *);
long ftell(FILE *);
off_t ftello(FILE *);
#if !defined(_POSIX_C_SOURCE) || defined(_DARWIN_C_SOURCE)
FILE *funopen(const void *, int (*)(void *, char *, int), int (*)(void *, const char *, int),
              fpos_t (*)(void *, fpos_t, int), int (*)(void *));
#endif
size_t fwrite(const void *__restrict, size_t, size_t, FILE *__restrict);
int getc(FILE *);
int getchar(void);
ssize_t getdelim(char **__restrict, size_t *__restrict, int, FILE *__restrict);
ssize_t getline(char **__restrict, size_t *__restrict, FILE *__restrict);
FILE *open_memstream(char **, size_t *);
int pclose(FILE *);
void perror(const char *);
#ifdef _DARWIN_C_SOURCE /* those without a limit to descriptors */
FILE *fdopen(int, const char *) __DARWIN_EXTSN(fdopen);
FILE *popen(const char *, const char *) __DARWIN_EXTSN(popen);
#else
FILE *fdopen(int, const char *);
FILE *popen(const char *, const char *);
#endif
int printf(const char *__restrict, ...) __printflike(1, 2);
int putc(int, FILE *);
int putchar(int);
int puts(const char *);
int remove(const char *);
int rename(const char *, const char *);
int renameat(int, const char *, int, const char *);
void rewind(FILE *);
int scanf(const char *__restrict, ...) __scanflike(1, 2);
void setbuf(FILE *__restrict, char *__restrict);
int setvbuf(FILE *__restrict, char *__restrict, int, size_t);
int snprintf(char *__restrict, size_t, const char *__restrict, ...) __printflike(3, 4);
int sscanf(const char *__restrict, const char *__restrict, ...) __scanflike(2, 3);
FILE *tmpfile(void);
int ungetc(int, FILE *);
int vfprintf(FILE *__restrict, const char *__restrict, va_list) __printflike(2, 0);
int vfscanf(FILE *__restrict, const char *__restrict, va_list) __scanflike(2, 0);
int vprintf(const char *__restrict, va_list) __printflike(1, 0);
int vscanf(const char *__restrict, va_list) __scanflike(1, 0);
int vsnprintf(char *__restrict, size_t, const char *__restrict, va_list) __printflike(3, 0);
int vsscanf(const char *__restrict, const char *__restrict, va_list) __scanflike(2, 0);

#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
int asprintf(char **__restrict, const char *__restrict, ...) __printflike(2, 3);
int vasprintf(char **__restrict, const char *__restrict, va_list) __printflike(2, 0);
#endif

/* With a warning since macOS 13, which -Werror makes an error. */
int sprintf(char *__restrict, const char *__restrict, ...) __printflike(2, 3)
    __deprecated_msg("write by snprintf");
int vsprintf(char *__restrict, const char *__restrict, va_list) __printflike(2, 0)
    __deprecated_msg("write by vsnprintf");
char *tmpnam(char *) __deprecated_msg("make the file, too: mkstemp");
__END_DECLS
#include <secure/_stdio.h>
