/* What the compiler's own header leaves to the system. */
#pragma once
#include <sys/cdefs.h>
#define PATH_MAX 1024
#define NAME_MAX 255
#define PIPE_BUF 512
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define OPEN_MAX 10240
#endif
#define ARG_MAX    (1024 * 1024)
#define SSIZE_MAX  9223372036854775807L
#define IOV_MAX    1024
#define MB_LEN_MAX 6
