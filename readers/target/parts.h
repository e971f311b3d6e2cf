/*
 * parts.h - what a reader knows of its target, and what the files of these folders do for one
 * another.
 *
 * Whoever opens a target (core/, process/) fills regions, mappings and threads, and says how bytes
 * are read; everything else is made of these here: images, their files, symbols.
 */
#ifndef LOUPE_READERS_PARTS_H
#define LOUPE_READERS_PARTS_H

#include "base/arena.h"
#include "base/vector.h"
#include "image/image.h"
#include "image/dwarf/ivar_lines.h"
#include "image/dwarf/lines.h"
#include "image/symbol_index.h"
#include "target/reader.h"
#include "target/registers.h"

/* The path of the image that the kernel maps into every process. */
#define LOUPE_KERNEL_IMAGE "[vdso]"

/* Memory of one protection. */
struct loupe_reader_region {
    struct loupe_process_region about;
    bool executable;
    const uint8_t *bytes; /* of a core: those of its start */
    uint64_t held;        /* how many of them there are */
    bool is_zeroes;       /* of a core: what it does not have are zeroes that nobody wrote to */
};

/* A file of an image on this machine. */
struct loupe_reader_file {
    const char *path;
    const uint8_t *bytes; /* mapped */
    uint64_t size;
    struct loupe_memory memory; /* offsets in the file are its addresses */
};

/* A part of a file that was mapped by the target. */
struct loupe_reader_mapping {
    loupe_addr start, end;
    uint64_t offset;
    const char *path;
    uint64_t device, inode;         /* 0: not known */
    struct loupe_reader_file *file; /* NULL: it is not there, or not that of the target */
    bool writable, executable;      /* by the headers of the file */
};

struct loupe_reader_image {
    struct loupe_image image;
    const char *path;
    struct loupe_reader_file *file, *debug_file; /* NULL: none */
    struct loupe_symbol_places by_address;       /* made when first needed */
    struct loupe_lines lines;                    /* the same */
    bool has_symbols, has_lines;                 /* that they were looked for */
    bool has_block_variables;                    /* that they were visited */
    bool has_closure_parameters;                 /* the same */
    struct loupe_ivar_lines ivar_lines;          /* made when first needed */
    bool has_ivar_lines;
    struct loupe_image mini; /* the same image by the symbols packed into its file */
    struct loupe_symbol_places mini_by_address;
    bool has_mini;
};

enum { LOUPE_READER_THREAD_NAME = 32 };

struct loupe_reader_thread {
    uint64_t id;
    char name[LOUPE_READER_THREAD_NAME]; /* "": not known */
    struct loupe_thread_registers registers;
};

struct loupe_reader {
    struct loupe_reader_options options;
    struct loupe_arena arena;
    struct loupe_reader_ops ops;
    struct loupe_memory memory; /* the caller's */
    struct loupe_memory
        images_memory; /* for what is read of images: no part of the caller's counts */
    struct loupe_machine machine;
    struct loupe_reader_missing missing;
    struct loupe_vector regions;  /* of struct loupe_reader_region, ascending */
    struct loupe_vector mappings; /* of struct loupe_reader_mapping, ascending */
    struct loupe_vector threads; /* of struct loupe_reader_thread, the first of the process first */
    struct loupe_vector images;  /* of struct loupe_reader_image, in the loader's order */
    struct loupe_vector files;   /* of struct loupe_reader_file * */
    struct loupe_vector kernel_words;             /* of struct loupe_process_kernel_word */
    bool kernel_words_told;                       /* these are all; else nobody knows */
    struct loupe_symbol_names names;              /* made when first needed */
    loupe_addr program_headers;                   /* of the executable; 0: not known */
    const char *root;                             /* of the target's files: "" or "/proc/12/root" */
    void (*release)(struct loupe_reader *reader); /* NULL, or lets the target go */
    /* NULL, or what is done now and then, so that the target need not stand still for too long. */
    void (*keep_pause)(struct loupe_reader *reader);
    uint64_t (*pause)(const struct loupe_reader *reader);
    /* NULL, or as unread() of struct loupe_process_ops. */
    enum loupe_status (*unread)(const struct loupe_reader *reader, loupe_unread_visit visit,
                                void *visitor);
    void *own;        /* of whoever opened it */
    uint64_t process; /* its number; 0: not known */
    /* A thread of a running process, by whose number the system tells of memory and files: by that
     * of the process it does not, when its first thread has ended before the others. */
    uint64_t thread;
    bool is_darwin;
    uint64_t signature_bits; /* of addresses, beside the tag byte of arm64 */
};

/* ---- reader.c ---- */

/* NULL: no memory. What it knows is empty; ops has all but read and window. */
struct loupe_reader *loupe_reader_new(const struct loupe_reader_options *options);
/* Once regions and machine are known: from here on it can be read. */
void loupe_reader_begin(struct loupe_reader *reader);
/* Once threads and the number of the process are known: its first thread has that number. */
void loupe_reader_put_first_thread_first(struct loupe_reader *reader);
/* The text of a core or process, as long as the reader; NULL: no memory. */
const char *loupe_reader_keep_text(struct loupe_reader *reader, const char *bytes, size_t length);

/* Sorts regions, drops what overlaps others, and counts that as damage. */
void loupe_reader_sort_regions(struct loupe_reader *reader);
void loupe_reader_sort_mappings(struct loupe_reader *reader);
/* The region, or the mapping, around an address, or NULL. */
struct loupe_reader_region *loupe_reader_region(const struct loupe_reader *reader, loupe_addr addr);
struct loupe_reader_mapping *loupe_reader_mapping(const struct loupe_reader *reader,
                                                  loupe_addr addr);
static inline struct loupe_reader_region *loupe_reader_region_at(const struct loupe_reader *reader,
                                                                 uint32_t index) {
    return loupe_vector_at(&reader->regions, index, sizeof(struct loupe_reader_region));
}
static inline struct loupe_reader_mapping *
loupe_reader_mapping_at(const struct loupe_reader *reader, uint32_t index) {
    return loupe_vector_at(&reader->mappings, index, sizeof(struct loupe_reader_mapping));
}
static inline struct loupe_reader_image *loupe_reader_image_at(const struct loupe_reader *reader,
                                                               uint32_t index) {
    return loupe_vector_at(&reader->images, index, sizeof(struct loupe_reader_image));
}

/* ---- images.c, names.c ---- */

/* Lists the images of ELF among the mappings, and puts them in the loader's order. LOUPE_ENOMEM. */
enum loupe_status loupe_reader_list_elf_images(struct loupe_reader *reader);
/* Adds the image at a header; *ret is NULL where there is none. LOUPE_ENOMEM. */
enum loupe_status loupe_reader_add_image(struct loupe_reader *reader, loupe_addr start,
                                         const char *path, struct loupe_reader_image **ret);
/* An entry of the loader's list (struct link_map); bias: an address minus what the file has. */
struct loupe_link_entry {
    uint64_t bias, name, dynamic, next;
};
/* False: it cannot be read. */
bool loupe_reader_link(struct loupe_reader *reader, loupe_addr at, struct loupe_link_entry *ret);
/* The image that holds an address, or NULL. */
struct loupe_reader_image *loupe_reader_image(const struct loupe_reader *reader, loupe_addr addr);
void loupe_reader_free_images(struct loupe_reader *reader);

/* Symbols of an image, and where its debug information is, unless that was looked for. */
void loupe_reader_find_symbols(struct loupe_reader *reader, struct loupe_reader_image *loaded);
enum loupe_status loupe_reader_find_symbol(struct loupe_reader *reader, const char *name,
                                           loupe_addr *ret);
enum loupe_status loupe_reader_name_address(struct loupe_reader *reader, loupe_addr addr, char *dst,
                                            size_t cap, uint64_t *offset_ret);

/* ---- stacks.c ---- */

enum loupe_status loupe_reader_visit_frames(struct loupe_reader *reader,
                                            const struct loupe_reader_thread *thread,
                                            loupe_process_frame_visit visit, void *visitor);

/* ---- lines.c, debug_files.c ---- */

/* The bytes of a section, unpacked; none where the file has none, or where they cannot be unpacked,
 * which is counted. */
struct loupe_span loupe_reader_section(struct loupe_reader *reader, struct loupe_reader_file *file,
                                       const char *name);

bool loupe_reader_line(struct loupe_reader *reader, loupe_addr addr, char *path, size_t cap,
                       uint32_t *line_ret);
/* Where a class of any image declares an ivar. */
bool loupe_reader_ivar_line(struct loupe_reader *reader, struct loupe_span class_name,
                            struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret);
/* The file of an image, or the one with its debug information, from where options.fetch gets it.
 * NULL: nothing was asked for, or it is not there. */
struct loupe_reader_file *loupe_reader_fetch(struct loupe_reader *reader,
                                             const struct loupe_reader_image *loaded,
                                             bool debug_file);
/* Finds the file with the debug information of an image that was split from it. */
void loupe_reader_find_debug_file(struct loupe_reader *reader, struct loupe_reader_image *loaded);

/* ---- mini_symbols.c ---- */

/* Finds symbols that are packed in the file of an image, unless it has a file of its own for them.
 */
void loupe_reader_find_mini_symbols(struct loupe_reader *reader, struct loupe_reader_image *loaded);

/* ---- files.c ---- */

/* Makes a file of what was mapped, and keeps it as those are. NULL, and unmapped: no memory. */
struct loupe_reader_file *loupe_reader_keep_mapped(struct loupe_reader *reader, const char *path,
                                                   const uint8_t *bytes, uint64_t size);

/* Maps the file whose path the target says, from where it is on this machine. NULL: it is not
 * there. */
struct loupe_reader_file *loupe_reader_open_file(struct loupe_reader *reader, const char *path);
/* A file of this machine by its own path. */
struct loupe_reader_file *loupe_reader_open_path(struct loupe_reader *reader, const char *path);
void loupe_reader_close_files(struct loupe_reader *reader);

#endif
