#pragma once
#include <_types.h>
#include <sys/types.h>
#define AF_INET      2
#define SOCK_STREAM  1
#define SOL_SOCKET   0xffff
#define SO_REUSEADDR 0x0004
#define SO_SNDTIMEO  0x1005
#define SHUT_RD      0
#define SHUT_WR      1
#define SHUT_RDWR    2
typedef unsigned char sa_family_t;
typedef unsigned int socklen_t;
struct sockaddr {
    unsigned char sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};
__BEGIN_DECLS
int accept(int, struct sockaddr *__restrict, socklen_t *__restrict);
int bind(int, const struct sockaddr *, socklen_t);
int getsockname(int, struct sockaddr *__restrict, socklen_t *__restrict);
int listen(int, int);
ssize_t recv(int, void *, size_t, int);
ssize_t send(int, const void *, size_t, int);
int setsockopt(int, int, int, const void *, socklen_t);
int shutdown(int, int);
int socket(int, int, int);
__END_DECLS
