#pragma once
#include <sys/types.h>
#define ZLIB_VERSION "1.2.12"
typedef unsigned char Byte;
typedef unsigned int uInt;
typedef unsigned long uLong;
typedef Byte Bytef;
typedef void *voidpf;
typedef voidpf (*alloc_func)(voidpf, uInt, uInt);
typedef void (*free_func)(voidpf, voidpf);
struct internal_state;
typedef struct z_stream_s {
    Bytef *next_in;
    uInt avail_in;
    uLong total_in;
    Bytef *next_out;
    uInt avail_out;
    uLong total_out;
    char *msg;
    struct internal_state *state;
    alloc_func zalloc;
    free_func zfree;
    voidpf opaque;
    int data_type;
    uLong adler;
    uLong reserved;
} z_stream;
typedef z_stream *z_streamp;
#define Z_NO_FLUSH         0
#define Z_FINISH           4
#define Z_OK               0
#define Z_STREAM_END       1
#define Z_BUF_ERROR        (-5)
#define Z_DEFAULT_STRATEGY 0
#define Z_DEFLATED         8
#define MAX_WBITS          15
__BEGIN_DECLS
int deflate(z_streamp, int);
int deflateEnd(z_streamp);
int deflateInit2_(z_streamp, int, int, int, int, int, const char *, int);
int inflate(z_streamp, int);
int inflateEnd(z_streamp);
int inflateInit_(z_streamp, const char *, int);
int inflateInit2_(z_streamp, int, const char *, int);
int inflateReset(z_streamp);
__END_DECLS
/* Who calls says which version it was compiled with, and how large a stream is there. */
#define deflateInit2(stream, level, method, bits, memory, strategy)                                \
    deflateInit2_(stream, level, method, bits, memory, strategy, ZLIB_VERSION,                     \
                  (int)sizeof(z_stream))
#define inflateInit(stream)        inflateInit_(stream, ZLIB_VERSION, (int)sizeof(z_stream))
#define inflateInit2(stream, bits) inflateInit2_(stream, bits, ZLIB_VERSION, (int)sizeof(z_stream))
