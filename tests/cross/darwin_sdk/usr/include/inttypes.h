#pragma once
#include <stdint.h>
#include <sys/cdefs.h>

#define PRId8   "hhd"
#define PRId16  "hd"
#define PRId32  "d"
#define PRId64  "lld"
#define PRIi32  "i"
#define PRIi64  "lli"
#define PRIu8   "hhu"
#define PRIu16  "hu"
#define PRIu32  "u"
#define PRIu64  "llu"
#define PRIx8   "hhx"
#define PRIx16  "hx"
#define PRIx32  "x"
#define PRIx64  "llx"
#define PRIX32  "X"
#define PRIX64  "llX"
#define PRIo32  "o"
#define PRIo64  "llo"
#define PRIdPTR "ld"
#define PRIuPTR "lu"
#define PRIxPTR "lx"
#define PRIXPTR "lX"
#define PRIdMAX "jd"
#define PRIuMAX "ju"
#define PRIxMAX "jx"
#define SCNd32  "d"
#define SCNd64  "lld"
#define SCNu32  "u"
#define SCNu64  "llu"
#define SCNx32  "x"
#define SCNx64  "llx"
#define SCNxPTR "lx"
#define SCNuPTR "lu"

__BEGIN_DECLS
typedef struct {
    intmax_t quot, rem;
} imaxdiv_t;
intmax_t imaxabs(intmax_t);
imaxdiv_t imaxdiv(intmax_t, intmax_t);
intmax_t strtoimax(const char *__restrict, char **__restrict, int);
uintmax_t strtoumax(const char *__restrict, char **__restrict, int);
intmax_t wcstoimax(const __WCHAR_TYPE__ *__restrict, __WCHAR_TYPE__ **__restrict, int);
uintmax_t wcstoumax(const __WCHAR_TYPE__ *__restrict, __WCHAR_TYPE__ **__restrict, int);
__END_DECLS
