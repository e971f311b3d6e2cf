#pragma once
#include <_types.h>
#define __need_NULL
#define __need_wchar_t
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <alloca.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX     0x7fffffff
typedef struct {
    int quot, rem;
} div_t;
typedef struct {
    long quot, rem;
} ldiv_t;
typedef struct {
    long long quot, rem;
} lldiv_t;
__BEGIN_DECLS
extern int __mb_cur_max;
#define MB_CUR_MAX __mb_cur_max

void _Exit(int) __dead2;
void abort(void) __dead2;
int abs(int);
int atexit(void (*)(void));
double atof(const char *);
int atoi(const char *);
long atol(const char *);
long long atoll(const char *);
void *aligned_alloc(size_t, size_t);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void *calloc(size_t, size_t);
div_t div(int, int);
void exit(int) __dead2;
void free(void *);
char *getenv(const char *);
long labs(long);
ldiv_t ldiv(long, long);
long long llabs(long long);
lldiv_t lldiv(long long, long long);
void *malloc(size_t);
int mblen(const char *, size_t);
size_t mbstowcs(wchar_t *__restrict, const char *__restrict, size_t);
int mbtowc(wchar_t *__restrict, const char *__restrict, size_t);
int mkstemp(char *);
int posix_memalign(void **, size_t, size_t);
int putenv(char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
int rand(void);
int rand_r(unsigned *);
long random(void);
void *realloc(void *, size_t);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
char *realpath(const char *__restrict, char *__restrict) __DARWIN_EXTSN(realpath);
#else
char *realpath(const char *__restrict, char *__restrict);
#endif
int setenv(const char *, const char *, int);
void srand(unsigned);
void srandom(unsigned);
double strtod(const char *, char **);
float strtof(const char *, char **);
long strtol(const char *, char **, int);
long double strtold(const char *, char **);
long long strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
int system(const char *);
int unsetenv(const char *);
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
void *valloc(size_t);
#endif
size_t wcstombs(char *__restrict, const wchar_t *__restrict, size_t);
int wctomb(char *, wchar_t);

#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
uint32_t arc4random(void);
void arc4random_buf(void *, size_t);
#endif
__END_DECLS
