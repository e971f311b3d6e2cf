/*
 * image.h - one loaded program or library: where its segments and sections lie, which build it is,
 * and its symbols.
 *
 * ELF and Mach-O, of 32 and of 64 bits, little-endian, read through a loupe_memory: on any host for
 * any target, from the process itself, through a debugger, from a core. What ELF does not load,
 * sections and local symbols, comes from the image's file, which is one more loupe_memory: its
 * addresses are offsets in the file.
 *
 * Any bytes may stand there. Nothing is believed that was not read: a table that leaves its segment
 * or its file is none, a symbol that leaves its table is none.
 *
 * Names are C names: without the leading underscore of Mach-O and without ELF's version suffix.
 */
#ifndef LOUPE_READERS_IMAGE_H
#define LOUPE_READERS_IMAGE_H

#include "base/target/memory.h"
#include "base/text.h"

enum loupe_image_format { LOUPE_IMAGE_ELF, LOUPE_IMAGE_MACHO };

enum {
    LOUPE_IMAGE_ID_SIZE = 32,      /* an SHA-1 has 20, a UUID 16 */
    LOUPE_SECTION_NAME_SIZE = 40,  /* "__DATA,__objc_classlist"; longer ones of ELF are cut */
    LOUPE_SYMBOL_NAME_SIZE = 1024, /* longer ones are cut */
    LOUPE_LIBRARY_NAME_SIZE = 512
};

/* The linker's number of what it made: ELF's build id, Mach-O's UUID. Length 0: it has none. */
struct loupe_image_id {
    uint8_t bytes[LOUPE_IMAGE_ID_SIZE];
    uint8_t length;
    bool is_cut; /* it is longer */
};

enum { LOUPE_IMAGE_ID_TEXT = 2 * LOUPE_IMAGE_ID_SIZE + 1 };

/* Symbols and their names, where they can be read. */
struct loupe_symbol_table {
    struct loupe_memory *memory; /* NULL: no table */
    loupe_addr symbols, strings;
    uint64_t strings_size;
    uint32_t count;
};

/* What tells where functions keep the registers of their callers. Ranges are empty where there is
 * none. */
struct loupe_unwind_tables {
    struct loupe_range code;      /* of the image that they are about */
    struct loupe_range index;     /* .eh_frame_hdr of ELF, which leads to .eh_frame */
    struct loupe_range frames;    /* .eh_frame; of ELF only its end is known, at most */
    struct loupe_range compact;   /* __unwind_info of Mach-O */
    struct loupe_range functions; /* Mach-O: the list of where functions begin */
};

struct loupe_image {
    struct loupe_memory *memory;
    struct loupe_memory *file; /* NULL: none was opened */
    enum loupe_image_format format;
    uint8_t pointer_size;
    bool in_shared_cache;  /* Mach-O: its data stands among that of others, far from its code */
    loupe_addr start, end; /* of what is loaded; of an image in the shared cache, of its code */
    loupe_addr bias;       /* an address minus what the file has for it */
    struct loupe_image_id id;
    struct loupe_symbol_table
        table;             /* in memory: exported ones (ELF), all (Mach-O); all of a file */
    loupe_addr headers;    /* ELF: of the segments; Mach-O: the load commands */
    uint32_t headers_size; /* in bytes */
    struct {
        loupe_addr hash;             /* ELF: .gnu.hash; Mach-O: the trie; 0: none */
        uint64_t hash_size;          /* Mach-O */
        loupe_addr loader_list;      /* ELF: struct r_debug, which the loader keeps for debuggers */
        loupe_addr symbols, strings; /* ELF: .dynsym, .dynstr */
        uint64_t strings_size;       /* ELF */
        loupe_addr dynamic;          /* ELF: what leads to the others */
        uint64_t dynamic_size;
    } exports;
    struct loupe_range unwind_index;    /* ELF: .eh_frame_hdr */
    struct loupe_range function_starts; /* Mach-O: the list of them */
    struct loupe_range stub_symbols;    /* Mach-O: of each stub the number of its symbol */
};

/* A stretch of an image that is loaded with one protection. */
struct loupe_segment {
    char name[LOUPE_SECTION_NAME_SIZE]; /* Mach-O; "" in ELF */
    loupe_addr start, end;              /* in memory */
    uint64_t file_offset, file_size;    /* what lies behind it in memory begins as zeroes */
    bool readable, writable, executable;
};

struct loupe_section {
    char name[LOUPE_SECTION_NAME_SIZE]; /* ".data"; "__DATA,__data" */
    loupe_addr start, end;              /* in memory */
    bool writable, zeroed;              /* zeroed: nothing of it is in the file */
    bool per_thread; /* what each thread has a copy of: start says nothing of these */
    uint32_t first_stub, stub_size; /* Mach-O, of stubs: among all of the image; bytes of one */
};

struct loupe_symbol {
    loupe_addr address;
    uint64_t size;   /* 0: not known */
    loupe_addr name; /* in the memory of the table */
    bool imported;   /* another image has it: no address */
};

/* ---- An image ---- */

/*
 * Reads the header at start, where a loader put an image, and what it leads to. LOUPE_EFAULT: there
 * is none, or none with code. memory stays the caller's and must outlive the image.
 */
enum loupe_status loupe_image_open(struct loupe_memory *memory, loupe_addr start,
                                   struct loupe_image *ret);
/*
 * Takes sections and symbols from the image's file from now on, as far as it has them. LOUPE_EFAULT
 * when it is no such file or that of another build. file must outlive the image.
 */
enum loupe_status loupe_image_open_file(struct loupe_image *image, struct loupe_memory *file);

/* Whether a file of ELF says that it is of that build: one that says nothing is of none. */
bool loupe_image_file_has_id(struct loupe_memory *file, const struct loupe_image_id *id);
/* In hexadecimal digits. */
void loupe_image_id_text(const struct loupe_image_id *id, char ret[LOUPE_IMAGE_ID_TEXT]);

/* ---- What it consists of ---- */

/* Return false to see no more. */
typedef bool (*loupe_segment_visitor)(void *ctx, const struct loupe_segment *segment);
typedef bool (*loupe_section_visitor)(void *ctx, const struct loupe_section *section);
typedef bool (*loupe_library_visitor)(void *ctx, const char *name);

/* In the order of the headers. All return false when what they read broke off, or could not be
 * understood: then there may be more. */

/* Loaded segments. */
bool loupe_image_segments(const struct loupe_image *image, loupe_segment_visitor visit, void *ctx);
/* Loaded sections, empty ones too. Of ELF none before its file was opened. */
bool loupe_image_sections(const struct loupe_image *image, loupe_section_visitor visit, void *ctx);
/* The names of the libraries that the image is linked to; long ones are cut. */
bool loupe_image_libraries(const struct loupe_image *image, loupe_library_visitor visit, void *ctx);

/* Its code, and the tables by which its functions are unwound. Takes nothing from a file. */
struct loupe_unwind_tables loupe_image_unwind_tables(const struct loupe_image *image);

/* The same for the scene (base/target/process.h): sections, or segments where it does not tell of
 * any. */
enum loupe_status loupe_image_visit_parts(const struct loupe_image *image,
                                          loupe_section_part_visit visit, void *visitor);

/*
 * Where the function begins that holds an address of code, by the list that Mach-O has of all
 * functions, those without a symbol too. False: the image has no such list, or none begins before.
 */
bool loupe_image_function_start(const struct loupe_image *image, loupe_addr addr, loupe_addr *ret);
/* The same by the list itself, of an image that begins at start. */
bool loupe_function_starts_find(struct loupe_memory *memory, struct loupe_range list,
                                loupe_addr start, loupe_addr addr, loupe_addr *ret);

/* A section of an image's file, loaded or not, where it stands in the file. */
struct loupe_image_part {
    uint64_t offset, size;
    bool packed;      /* by the rules of ELF: a header of its own says how */
    bool packed_zlib; /* the older way: "ZLIB", the size, then the bytes */
};

/* By its name without what formats put in front: "debug_line". False: the file has none. */
bool loupe_image_find_part(struct loupe_memory *file, const char *name,
                           struct loupe_image_part *ret);

/* ---- Symbols ---- */

/* Finds the table of symbols in memory, unless there is one already: ELF has exported ones there,
 * Mach-O all. */
void loupe_image_find_table(struct loupe_image *image);
/* By the table that the loader uses. LOUPE_EFAULT when the image exports no such symbol. */
enum loupe_status loupe_image_find_export(const struct loupe_image *image, const char *name,
                                          loupe_addr *ret);
#define LOUPE_NO_ADDRESS UINT64_MAX

/* The symbol of that number below table.count; false for one that names no place. */
bool loupe_image_symbol(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret);
/* Addresses of `count` symbols from number `first` on, in the table; LOUPE_NO_ADDRESS for those
 * that name no place here. */
void loupe_image_symbol_addresses(const struct loupe_image *image, uint32_t first, uint32_t count,
                                  loupe_addr *ret);
/*
 * Its name, in place or in bounce; valid until the next call on the table's memory. False: it has
 * none that ends in the table.
 */
bool loupe_image_symbol_name(const struct loupe_image *image, const struct loupe_symbol *symbol,
                             char bounce[LOUPE_SYMBOL_NAME_SIZE], struct loupe_span *ret);

/*
 * The stub of Mach-O that holds an address, by which code calls a function of another image. Its
 * name is that function's, its address and size are its own. False: none does.
 */
bool loupe_image_stub(const struct loupe_image *image, loupe_addr addr, struct loupe_symbol *ret);
/* Whether the section that has a symbol reaches to an address: a symbol without a size names
 * nothing beyond. True also where sections are not known. */
bool loupe_image_in_one_section(const struct loupe_image *image, loupe_addr symbol,
                                loupe_addr addr);

#endif
