#pragma once
#include <sys/socket.h>
#define INADDR_LOOPBACK 0x7f000001u
#define htons(number)   ((unsigned short)__builtin_bswap16(number))
#define ntohs(number)   ((unsigned short)__builtin_bswap16(number))
#define htonl(number)   ((unsigned int)__builtin_bswap32(number))
#define ntohl(number)   ((unsigned int)__builtin_bswap32(number))
typedef unsigned int in_addr_t;
typedef unsigned short in_port_t;
struct in_addr {
    in_addr_t s_addr;
};
struct sockaddr_in {
    unsigned char sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
