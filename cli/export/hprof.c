/* A native heap as a heap dump of Java, plain or packed by gzip. */
#include "export/export.h"
#include "hprof/hprof_write.h"

static enum loupe_status write_dump(struct export *export, struct loupe_sink sink) {
    return loupe_hprof_write(export->question->query->snapshot, &heap_chunks, sink);
}

static enum loupe_status write_plain(struct export *export) {
    return export_through(export, write_dump);
}

const struct export_format export_hprof = {
    .ending = ".hprof", .needs_native = true, .write = write_plain};

/* ---- Packed ---- */

#ifdef LOUPE_HAS_ZLIB

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { PACKED_SIZE = 1 << 18, GZIP = 16, FAST = 1, USUAL_MEMORY = 8 };

struct packer {
    z_stream stream;
    struct loupe_sink sink;
    uint8_t packed[PACKED_SIZE];
};

static enum loupe_status pack(struct packer *packer, const char *bytes, size_t len, int flush) {
    enum loupe_status status = LOUPE_OK;
    packer->stream.next_in = (Bytef *)(uintptr_t)bytes;
    packer->stream.avail_in = (uInt)len;
    do {
        packer->stream.next_out = packer->packed;
        packer->stream.avail_out = PACKED_SIZE;
        deflate(&packer->stream, flush);
        size_t made = PACKED_SIZE - packer->stream.avail_out;
        if (made)
            status = packer->sink.write(packer->sink.ctx, (const char *)packer->packed, made);
    } while (!status && !packer->stream.avail_out);
    return status;
}

static enum loupe_status pack_part(void *ctx, const char *bytes, size_t len) {
    return pack(ctx, bytes, len, Z_NO_FLUSH);
}

static enum loupe_status pack_dump(struct export *export, struct loupe_sink sink) {
    struct packer *packer = calloc(1, sizeof(*packer));
    if (!packer)
        return LOUPE_ENOMEM;
    packer->sink = sink;
    enum loupe_status status = LOUPE_ENOMEM;
    if (deflateInit2(&packer->stream, FAST, Z_DEFLATED, MAX_WBITS + GZIP, USUAL_MEMORY,
                     Z_DEFAULT_STRATEGY) == Z_OK) {
        status = write_dump(export, (struct loupe_sink){.write = pack_part, .ctx = packer});
        if (!status)
            status = pack(packer, "", 0, Z_FINISH);
        deflateEnd(&packer->stream);
    }
    free(packer);
    return status;
}

static enum loupe_status write_packed(struct export *export) {
    return export_through(export, pack_dump);
}

#else

static enum loupe_status write_packed(struct export *export) {
    return export_fail(export, LOUPE_EUSAGE, "this loupe was built without zlib; .hprof works");
}

#endif

const struct export_format export_hprof_gz = {
    .ending = ".hprof.gz", .needs_native = true, .write = write_packed};
