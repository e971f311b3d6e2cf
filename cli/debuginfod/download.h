/*
 * download.h - one file from one address, by curl: a process of its own reads what the network
 * says, with the certificates and proxies of this machine, and within bounds of size and time.
 */
#ifndef LOUPE_CLI_DOWNLOAD_H
#define LOUPE_CLI_DOWNLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum download_result {
    DOWNLOAD_DONE,
    DOWNLOAD_NOT_THERE, /* the server answered that it has no such file */
    DOWNLOAD_TOO_LARGE,
    DOWNLOAD_TOO_LONG, /* its time was over, or that of the whole question */
    DOWNLOAD_NO_CURL,
    DOWNLOAD_FAILED /* no connection, or an answer that is none */
};

struct download {
    const char *address;
    bool is_this_machine; /* then plain http will do, and no proxy is asked */
    int to;               /* an open file, empty */
    uint64_t most_bytes;
    unsigned seconds;
};

/* *code_ret: the status of HTTP, 0: none. */
enum download_result download(const struct download *download, unsigned *code_ret);

#endif
