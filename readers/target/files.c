/* Files of this machine, mapped. */
#define _DEFAULT_SOURCE

#include "target/parts.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

static enum loupe_status read_bytes(void *ctx, loupe_addr addr, void *dst, size_t len) {
    const struct loupe_reader_file *file = ctx;
    if (addr > file->size || len > file->size - addr)
        return LOUPE_EFAULT;
    memcpy(dst, file->bytes + addr, len);
    return LOUPE_OK;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct loupe_reader_file *file = ctx;
    if (addr >= file->size)
        return false;
    *ret = (struct loupe_window){.start = 0, .end = file->size, .bytes = file->bytes};
    return true;
}

static const struct loupe_reader_ops file_ops = {.read = read_bytes, .window = open_window};

/* A device or a pipe would block, or have effects. */
static const uint8_t *map_file(const char *path, uint64_t *size_ret) {
    struct stat about;
    void *bytes = MAP_FAILED;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return NULL;
    if (!fstat(descriptor, &about) && S_ISREG(about.st_mode) && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (bytes == MAP_FAILED)
        return NULL;
    *size_ret = (uint64_t)about.st_size;
    return bytes;
}

struct loupe_reader_file *loupe_reader_open_path(struct loupe_reader *reader, const char *path) {
    for (uint32_t i = 0; i < reader->files.count; i++) {
        struct loupe_reader_file **known = loupe_vector_at(&reader->files, i, sizeof(*known));
        if (strcmp((*known)->path, path) == 0)
            return *known;
    }
    uint64_t size;
    const uint8_t *bytes = reader->options.without_files ? NULL : map_file(path, &size);
    if (!bytes)
        return NULL;
    return loupe_reader_keep_mapped(reader, path, bytes, size);
}

struct loupe_reader_file *loupe_reader_keep_mapped(struct loupe_reader *reader, const char *path,
                                                   const uint8_t *bytes, uint64_t size) {
    const struct loupe_chunk_ops *chunks = reader->options.chunks;
    struct loupe_reader_file **added = loupe_vector_add(&reader->files);
    struct loupe_reader_file *file = added ? loupe_chunk_get(chunks, sizeof(*file)) : NULL;
    const char *kept = file ? loupe_reader_keep_text(reader, path, strlen(path)) : NULL;
    if (!kept) {
        loupe_chunk_put(chunks, file, sizeof(*file));
        reader->files.count -= added != NULL;
        munmap((void *)(uintptr_t)bytes, (size_t)size);
        return NULL;
    }
    *file = (struct loupe_reader_file){.path = kept, .bytes = bytes, .size = size};
    loupe_memory_init(&file->memory, &file_ops, file, reader->machine, chunks);
    *added = file;
    return file;
}

/* Below a folder, as "/tmp/root" and "/usr/bin/app". */
static struct loupe_reader_file *open_below(struct loupe_reader *reader, const char *folder,
                                            const char *path) {
    char whole[MAX_PATH];
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    if (length + strlen(path) >= sizeof(whole))
        return NULL;
    memcpy(whole, folder, length);
    strcpy(whole + length, path);
    return loupe_reader_open_path(reader, whole);
}

/* Relative paths say nothing here: the target had a working directory of its own. */
struct loupe_reader_file *loupe_reader_open_file(struct loupe_reader *reader, const char *path) {
    struct loupe_reader_file *file = NULL;
    if (*path != '/')
        return NULL;
    if (reader->options.sysroot)
        file = open_below(reader, reader->options.sysroot, path);
    return file ? file : open_below(reader, reader->root, path);
}

bool loupe_file_has_id(const char *path, const struct loupe_chunk_ops *chunks,
                       const struct loupe_image_id *build) {
    struct loupe_reader_file file = {.path = path};
    file.bytes = map_file(path, &file.size);
    if (!file.bytes)
        return false;
    loupe_memory_init(&file.memory, &file_ops, &file, (struct loupe_machine){.pointer_size = 8},
                      chunks);
    bool has_it = loupe_image_file_has_id(&file.memory, build);
    loupe_memory_deinit(&file.memory);
    munmap((void *)(uintptr_t)file.bytes, (size_t)file.size);
    return has_it;
}

void loupe_reader_close_files(struct loupe_reader *reader) {
    for (uint32_t i = 0; i < reader->files.count; i++) {
        struct loupe_reader_file **file = loupe_vector_at(&reader->files, i, sizeof(*file));
        loupe_memory_deinit(&(*file)->memory);
        munmap((void *)(uintptr_t)(*file)->bytes, (size_t)(*file)->size);
        loupe_chunk_put(reader->options.chunks, *file, sizeof(**file));
    }
}
