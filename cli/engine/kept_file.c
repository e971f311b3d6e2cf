/* kept_file.c - writes a file beside it, renames that. */
#include "engine/kept_file.h"

#include "shared/new_file.h"

#include <stdlib.h>
#include <string.h>

bool engine_kept_file_init(struct engine_kept_file *kept, const char *path) {
    *kept =
        (struct engine_kept_file){.path = path, .beside = malloc(strlen(path) + NEW_FILE_ENDING)};
    return kept->beside != NULL;
}

static enum loupe_status write_beside(void *ctx, const char *bytes, size_t len) {
    struct engine_kept_file *kept = ctx;
    if (!kept->file)
        kept->file = new_file_beside(kept->path, kept->beside);
    bool written = kept->file && fwrite(bytes, 1, len, kept->file) == len;
    return written ? LOUPE_OK : LOUPE_EUSAGE;
}

struct loupe_sink engine_kept_file_sink(struct engine_kept_file *kept) {
    return (struct loupe_sink){.write = write_beside, .ctx = kept};
}

bool engine_kept_file_keep(struct engine_kept_file *kept) {
    if (!kept->file)
        return true;
    bool closed = fclose(kept->file) == 0;
    kept->file = NULL;
    if (closed && rename(kept->beside, kept->path) == 0)
        return true;
    remove(kept->beside);
    return false;
}

void engine_kept_file_deinit(struct engine_kept_file *kept) {
    if (kept->file) {
        fclose(kept->file);
        remove(kept->beside);
    }
    free(kept->beside);
    *kept = (struct engine_kept_file){.path = NULL};
}
