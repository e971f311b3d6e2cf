/*
 * Asks one question of a core file or a process, without a debugger, and prints the answer.
 *
 * usage: ask_target TARGET QUERY ADDRESS [ARGUMENTS]     TARGET: a file, or the number of a process
 *        ask_target TARGET parts                         regions, images, threads, what is missing
 *        ask_target TARGET name ADDRESS...               the symbol and the line of each
 *        ask_target TARGET symbol NAME...
 *        ask_target TARGET strip ADDRESS...              without tags and signatures
 */
#define _DEFAULT_SOURCE

#include "loupe.h"
#include "target/reader.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *get_chunk(void *ctx, size_t size) {
    (void)ctx;
    return malloc(size);
}

static void put_chunk(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    (void)size;
    free(chunk);
}

static const struct loupe_chunk_ops chunks = {.get = get_chunk, .put = put_chunk};

static enum loupe_status write_out(void *ctx, const char *bytes, size_t len) {
    (void)ctx;
    return fwrite(bytes, 1, len, stdout) == len ? LOUPE_OK : LOUPE_EINTERNAL;
}

static enum loupe_status open_target(const char *name, bool *is_core_ret, struct loupe_reader **ret,
                                     struct loupe_error *err) {
    struct loupe_reader_options options = {
        .chunks = &chunks, .program = getenv("ASK_PROGRAM"), .sysroot = getenv("ASK_SYSROOT")};
    struct stat about;
    int file = open(name, O_RDONLY);
    *is_core_ret = file >= 0;
    if (file < 0)
        return loupe_process_open(strtoull(name, NULL, 10), &options, ret, err);
    if (fstat(file, &about) || !about.st_size)
        return loupe_fail(err, LOUPE_EUSAGE, 0, "empty");
    void *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    return loupe_core_open(bytes, (uint64_t)about.st_size, &options, ret, err);
}

/* ---- Parts ---- */

static enum loupe_status show_region(void *ctx, const struct loupe_process_region *region) {
    (void)ctx;
    printf("region 0x%" PRIx64 " 0x%" PRIx64 " %c%c%s\n", region->start, region->end,
           region->readable ? 'r' : '-', region->writable ? 'w' : '-',
           region->is_stack ? " stack" : "");
    return LOUPE_OK;
}

static enum loupe_status show_section(void *ctx, const struct loupe_process_section *section) {
    (void)ctx;
    printf("section %s 0x%" PRIx64 " 0x%" PRIx64 "%s\n", section->name, section->start,
           section->size, section->writable ? " writable" : "");
    return LOUPE_OK;
}

static enum loupe_status show_image(void *ctx, uint32_t image, const char *path) {
    struct loupe_memory *memory = ctx;
    printf("image %s\n", path);
    return memory->ops->process->sections(memory->ctx, image, show_section, NULL);
}

static enum loupe_status show_thread(void *ctx, uint32_t thread,
                                     const struct loupe_process_thread *about) {
    static const char *const names[] = {"rip", "rsp", "rax", "rbx", "fs_base", "pc",
                                        "sp",  "x0",  "x28", "lr",  "fp",      "tpidr",
                                        "eip", "esp", "eax", "r0",  "r12"};
    struct loupe_memory *memory = ctx;
    printf("thread %" PRIu64, about->id);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint64_t value;
        if (memory->ops->process->thread_register(memory->ctx, thread, names[i], &value))
            printf(" %s=0x%" PRIx64, names[i], value);
    }
    puts("");
    return LOUPE_OK;
}

static int show_parts(struct loupe_reader *reader) {
    struct loupe_memory *memory = loupe_reader_memory(reader);
    const struct loupe_process_ops *process = memory->ops->process;
    const struct loupe_reader_missing *missing = loupe_reader_missing(reader);
    process->regions(memory->ctx, show_region, NULL);
    if (process->images(memory->ctx, show_image, memory))
        puts("images incomplete");
    if (process->threads(memory->ctx, show_thread, memory))
        puts("threads incomplete");
    printf("missing truncated=%d bytes=%" PRIu64 " files=%u shared=%u threads=%u damaged=%u "
           "packed=%u %s\n",
           missing->truncated, missing->bytes, missing->files, missing->shared_images,
           missing->threads, missing->damaged_parts, missing->packed_lines,
           missing->file ? missing->file : "");
    return 0;
}

/* ---- Names ---- */

static int show_names(struct loupe_reader *reader, char **addresses) {
    struct loupe_memory *memory = loupe_reader_memory(reader);
    for (; *addresses; addresses++) {
        char name[512];
        uint32_t line;
        uint64_t offset = 0, address = strtoull(*addresses, NULL, 0);
        if (loupe_memory_name_address(memory, address, name, sizeof(name), &offset))
            printf("%s %s+%" PRIu64, *addresses, name, offset);
        else
            printf("%s ?", *addresses);
        if (loupe_memory_line_of_address(memory, address, name, sizeof(name), &line))
            printf(" %s:%u\n", name, line);
        else
            puts(" ?");
    }
    return 0;
}

static int show_symbols(struct loupe_reader *reader, char **names) {
    for (; *names; names++) {
        loupe_addr found;
        if (loupe_memory_find_symbol(loupe_reader_memory(reader), *names, &found))
            printf("%s none\n", *names);
        else
            printf("%s 0x%" PRIx64 "\n", *names, found);
    }
    return 0;
}

static int ask(struct loupe_reader *reader, bool is_core, int count, char **words) {
    struct loupe_question question = {.engine = "memory", .max_rings = 300, .of_core = is_core};
    if (count < 2 || !loupe_query_named(words[0], &question.query))
        return 2;
    question.address = strtoull(words[1], NULL, 0);
    question.arguments = count > 2 ? words[2] : NULL;
    loupe_answer(loupe_reader_memory(reader), &chunks, &question,
                 (struct loupe_sink){.write = write_out});
    puts("");
    return 0;
}

static int show_stripped(struct loupe_reader *reader, char **addresses) {
    for (; *addresses; addresses++)
        printf("strip 0x%" PRIx64 "\n",
               loupe_memory_strip(loupe_reader_memory(reader), strtoull(*addresses, NULL, 0)));
    return 0;
}

int main(int argc, char **argv) {
    struct loupe_reader *reader;
    struct loupe_error error;
    int status;
    bool is_core;
    if (argc < 3)
        return 2;
    if (open_target(argv[1], &is_core, &reader, &error)) {
        printf("refused: %s\n", error.message);
        return 1;
    }
    if (strcmp(argv[2], "parts") == 0)
        status = show_parts(reader);
    else if (strcmp(argv[2], "name") == 0)
        status = show_names(reader, argv + 3);
    else if (strcmp(argv[2], "strip") == 0)
        status = show_stripped(reader, argv + 3);
    else if (strcmp(argv[2], "symbol") == 0)
        status = show_symbols(reader, argv + 3);
    else
        status = ask(reader, is_core, argc - 2, argv + 2);
    loupe_reader_close(reader);
    return status;
}
