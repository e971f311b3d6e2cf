/* What has no pages, by /proc/self/pagemap; what stands there instead, by the files. */
#include "memory/untouched.h"

#include "linux/proc_maps.h"
#include "kernel/entries.h"
#include "kernel/records.h"
#include "memory/regions.h"
#include "kernel/system.h"

#include <string.h>

/* Most questions are about a few pages here and there, again and again; only who goes on gets many
 * words at once. */
enum { WORDS = 128, FEW_WORDS = 32, STRETCHES = 16, PATH_SIZE = 4200 };
#define PAGE_IS_THERE   (UINT64_C(1) << 63)
#define PAGE_IS_SWAPPED (UINT64_C(1) << 62)

enum source { ZEROES, OF_FILE, IN_PLACE, HIDDEN, OF_OTHERS };

/* What the page map says of some pages. */
struct stretch {
    loupe_addr first;
    size_t count; /* 0: of none */
    uint64_t words[WORDS];
};

struct loupe_untouched {
    const struct loupe_chunk_ops *chunks;
    const char *map;
    int pages; /* /proc/self/pagemap */
    size_t page;
    struct stretch stretches[STRETCHES]; /* of it, as they were asked for */
    unsigned last;                       /* the one that was looked at last */
    unsigned oldest;                     /* the one that is asked for anew next */
    /* The mapping that was searched for last, and its file; none when start == end. */
    struct loupe_proc_mapping mapping;
    const char *next_line;
    enum source source;
    int file;          /* negative: none */
    bool serves_files; /* as a file system that it may have mapped itself */
    char path[PATH_SIZE];
};

struct loupe_untouched *loupe_untouched_open(const struct loupe_chunk_ops *chunks, const char *map,
                                             bool serves_files) {
    struct loupe_untouched *untouched = loupe_chunk_get(chunks, sizeof(*untouched));
    if (!untouched)
        return NULL;
    untouched->chunks = chunks;
    untouched->next_line = untouched->map = map;
    untouched->serves_files = serves_files;
    untouched->page = loupe_system_page_size();
    untouched->file = -1;
    /* When the first thread has ended, which the others may outlive, the process has no map. */
    untouched->pages = loupe_system_open("/proc/thread-self/pagemap");
    if (untouched->pages >= 0)
        return untouched;
    loupe_untouched_close(untouched);
    return NULL;
}

static void close_file(struct loupe_untouched *untouched) {
    if (untouched->file >= 0)
        loupe_system_close(untouched->file);
    untouched->file = -1;
}

void loupe_untouched_close(struct loupe_untouched *untouched) {
    if (!untouched)
        return;
    close_file(untouched);
    if (untouched->pages >= 0)
        loupe_system_close(untouched->pages);
    loupe_chunk_put(untouched->chunks, untouched, sizeof(*untouched));
}

/* ---- Which pages there are ---- */

/* False: the kernel does not tell. */
static bool ask_for(struct loupe_untouched *untouched, struct stretch *stretch, loupe_addr addr,
                    size_t words) {
    uint64_t number = addr / untouched->page;
    long got = loupe_system_read_at(untouched->pages, stretch->words, words * sizeof(uint64_t),
                                    number * sizeof(uint64_t));
    stretch->first = number * untouched->page;
    stretch->count = got > 0 ? (size_t)got / sizeof(stretch->words[0]) : 0;
    return stretch->count;
}

static bool is_told(const struct loupe_untouched *untouched, const struct stretch *stretch,
                    loupe_addr addr) {
    return addr >= stretch->first && (addr - stretch->first) / untouched->page < stretch->count;
}

/* Instead of the one that was asked for the longest ago. */
static struct stretch *ask_for_another(struct loupe_untouched *untouched, loupe_addr addr) {
    const struct stretch *last = &untouched->stretches[untouched->last];
    bool goes_on = is_told(untouched, last, addr - untouched->page);
    untouched->last = untouched->oldest++ % STRETCHES;
    struct stretch *stretch = &untouched->stretches[untouched->last];
    return ask_for(untouched, stretch, addr, goes_on ? WORDS : FEW_WORDS) ? stretch : NULL;
}

/* NULL: the kernel does not tell. */
static struct stretch *find_stretch(struct loupe_untouched *untouched, loupe_addr addr) {
    struct stretch *last = &untouched->stretches[untouched->last];
    if (is_told(untouched, last, addr))
        return last;
    /* Cap: what is not among them is asked for. */
    for (unsigned place = 0; place < STRETCHES; place++) {
        if (is_told(untouched, &untouched->stretches[place], addr))
            return &untouched->stretches[untouched->last = place];
    }
    return ask_for_another(untouched, addr);
}

static bool has_page(const struct loupe_untouched *untouched, const struct stretch *stretch,
                     loupe_addr addr) {
    uint64_t word = stretch->words[(addr - stretch->first) / untouched->page];
    return word & (PAGE_IS_THERE | PAGE_IS_SWAPPED);
}

/* What nobody tells about is there. */
bool loupe_untouched_has_page(struct loupe_untouched *untouched, loupe_addr addr, loupe_addr end,
                              loupe_addr *end_ret) {
    const struct stretch *stretch = find_stretch(untouched, addr);
    *end_ret = end;
    if (!stretch)
        return true;
    bool has = has_page(untouched, stretch, addr);
    loupe_addr at = addr / untouched->page * untouched->page + untouched->page;
    while (at < end && is_told(untouched, stretch, at) && has_page(untouched, stretch, at) == has)
        at += untouched->page;
    *end_ret = at < end ? at : end;
    return has;
}

bool loupe_untouched_has_page_now(struct loupe_untouched *untouched, loupe_addr addr,
                                  loupe_addr end, loupe_addr *end_ret) {
    /* Cap: all of them. */
    for (unsigned i = 0; i < STRETCHES; i++)
        if (is_told(untouched, &untouched->stretches[i], addr))
            untouched->stretches[i].count = 0;
    return loupe_untouched_has_page(untouched, addr, end, end_ret);
}

/* ---- What stands there instead ---- */

static bool is_file_of(const struct loupe_proc_mapping *mapping, int file) {
    struct loupe_system_file about;
    return loupe_system_stat(file, &about) && about.inode == mapping->inode &&
           about.device_major == mapping->device_major &&
           about.device_minor == mapping->device_minor;
}

/* A link of the kernel's leads to what it is for, whatever device it is said to be on. */
static bool open_path(struct loupe_untouched *untouched, const char *path, bool any_device) {
    struct loupe_system_file about;
    int file = loupe_system_open(path);
    if (file < 0)
        return false;
    if (any_device ? loupe_system_stat(file, &about) : is_file_of(&untouched->mapping, file))
        untouched->file = file;
    else
        loupe_system_close(file);
    return untouched->file >= 0;
}

static char *put_number(char *to, uint64_t number, unsigned base) {
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = "0123456789abcdef"[number % base];
    while (number /= base);
    while (count)
        *to++ = digits[--count];
    *to = '\0';
    return to;
}

static char *put_text(char *to, const char *text) {
    memcpy(to, text, strlen(text) + 1);
    return to + strlen(text);
}

static bool open_link_of_kernel(struct loupe_untouched *untouched) {
    char *at = put_text(untouched->path, "/proc/self/map_files/");
    at = put_number(at, untouched->mapping.start, 16);
    put_number(put_text(at, "-"), untouched->mapping.end, 16);
    return open_path(untouched, untouched->path, true);
}

/* Only of plain files: to open another can do something, or wait. */
static bool open_by_name(struct loupe_untouched *untouched) {
    struct loupe_span path = untouched->mapping.path;
    if (path.length >= sizeof(untouched->path) || !loupe_span_starts_with(path, "/") ||
        (loupe_span_starts_with(path, "/dev/") && !loupe_span_starts_with(path, "/dev/shm/")))
        return false;
    loupe_proc_maps_path(path, untouched->path);
    return open_path(untouched, untouched->path, false);
}

/* What has no name any more the program often has open. It is opened once more: where the program
 * stands in it is the program's business. */
static enum loupe_status try_open_file(void *visitor, uint64_t number) {
    struct loupe_untouched *untouched = visitor;
    if (number <= INT32_MAX && is_file_of(&untouched->mapping, (int)number)) {
        put_number(put_text(untouched->path, "/proc/self/fd/"), number, 10);
        open_path(untouched, untouched->path, false);
    }
    return untouched->file >= 0 ? LOUPE_ELIMIT : LOUPE_OK; /* ends the visit */
}

static bool open_file(struct loupe_untouched *untouched) {
    if (open_link_of_kernel(untouched) || open_by_name(untouched))
        return true;
    loupe_entries_visit("/proc/self/fd", try_open_file, untouched);
    return untouched->file >= 0;
}

static bool is_memory_with_name(struct loupe_span path) {
    static const char *const names[] = {"/dev/", "/memfd:", "/SYSV", "/anon_hugepage"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (loupe_span_starts_with(path, names[i]))
            return true;
    return false;
}

/* Memory of no file has no path, or a word of the kernel's in brackets, of which the library it
 * gives to programs alone is no memory of theirs; large pages have a file that nobody can write
 * to. */
static bool is_anonymous(const struct loupe_proc_mapping *mapping) {
    if (!mapping->inode)
        return !loupe_span_equals(mapping->path, "[vdso]");
    return !mapping->shared && (loupe_span_equals(mapping->path, "/anon_hugepage (deleted)") ||
                                loupe_span_equals(mapping->path, "/dev/zero"));
}

/* ---- Files that the process serves itself ---- */

struct mount_search {
    const struct loupe_proc_mapping *mapping;
    bool is_served;
};

static enum loupe_status search_mounts(void *visitor, const char *text) {
    struct mount_search *search = visitor;
    struct loupe_proc_mount mount;
    while (loupe_proc_mounts_next(&text, &mount))
        if (mount.device_major == search->mapping->device_major &&
            mount.device_minor == search->mapping->device_minor)
            search->is_served |= loupe_span_starts_with(mount.type, "fuse") &&
                                 !loupe_span_equals(mount.type, "fusectl");
    return LOUPE_OK;
}

/* To open such a file, too, asks its server, which may be a thread that stands still. */
static bool is_served_by_itself(struct loupe_untouched *untouched) {
    struct mount_search search = {.mapping = &untouched->mapping};
    if (!untouched->mapping.inode || !untouched->serves_files)
        return false;
    loupe_records_visit(untouched->chunks, "/proc/thread-self/mountinfo", "", search_mounts,
                        &search);
    return search.is_served;
}

static enum source find_source(struct loupe_untouched *untouched) {
    const struct loupe_proc_mapping *mapping = &untouched->mapping;
    if (is_anonymous(mapping))
        return ZEROES;
    if (is_served_by_itself(untouched))
        return OF_OTHERS;
    if (mapping->inode && open_file(untouched))
        return OF_FILE;
    return mapping->shared || is_memory_with_name(mapping->path) ? HIDDEN : IN_PLACE;
}

/* The next line, or after the last one the first. */
static bool take_line(struct loupe_untouched *untouched) {
    close_file(untouched);
    if (loupe_proc_maps_next(&untouched->next_line, &untouched->mapping))
        return true;
    untouched->next_line = untouched->map;
    untouched->mapping = (struct loupe_proc_mapping){0};
    return false;
}

static bool find_mapping(struct loupe_untouched *untouched, loupe_addr addr) {
    const struct loupe_proc_mapping *mapping = &untouched->mapping;
    if (addr >= mapping->start && addr < mapping->end)
        return true;
    if (addr < mapping->start)
        untouched->next_line = untouched->map;
    while (take_line(untouched) && addr >= mapping->end)
        continue;
    if (addr < mapping->start || addr >= mapping->end) {
        untouched->mapping = (struct loupe_proc_mapping){0};
        untouched->next_line = untouched->map;
        return false;
    }
    untouched->source = find_source(untouched);
    return true;
}

static uint64_t offset_of(const struct loupe_untouched *untouched, loupe_addr addr) {
    return untouched->mapping.offset + (addr - untouched->mapping.start);
}

/* Zeroes behind the end of the file, up to the end of that page. */
static enum loupe_status read_file(const struct loupe_untouched *untouched, loupe_addr addr,
                                   uint8_t *dst, size_t len) {
    uint64_t offset = offset_of(untouched, addr);
    size_t done = 0;
    long got = 0;
    while (done < len &&
           (got = loupe_system_read_at(untouched->file, dst + done, len - done, offset + done)) > 0)
        done += (size_t)got;
    uint64_t in_page = (offset + done) % untouched->page;
    if (got < 0 || (done < len && !in_page) ||
        (done < len && len - done > untouched->page - in_page))
        return LOUPE_EFAULT;
    memset(dst + done, 0, len - done);
    return LOUPE_OK;
}

/* Another thread may have unmapped it since the map was read. */
static bool is_mapped(const struct loupe_untouched *untouched, loupe_addr addr) {
    uint8_t resident;
    return loupe_system_mincore(addr / untouched->page * untouched->page, untouched->page,
                                &resident) >= 0;
}

static enum loupe_status read_part(struct loupe_untouched *untouched, loupe_addr addr, uint8_t *dst,
                                   size_t len) {
    switch (untouched->source) {
    case ZEROES:
        if (!is_mapped(untouched, addr))
            break;
        memset(dst, 0, len);
        return LOUPE_OK;
    case OF_FILE:
        return read_file(untouched, addr, dst, len);
    case IN_PLACE:
        return loupe_regions_copy(addr, dst, len);
    case HIDDEN:
    case OF_OTHERS:
        break;
    }
    return LOUPE_EFAULT;
}

enum loupe_status loupe_untouched_read(struct loupe_untouched *untouched, loupe_addr addr,
                                       void *dst, size_t len) {
    uint8_t *to = dst;
    enum loupe_status status = LOUPE_OK;
    while (!status && len) {
        if (!find_mapping(untouched, addr))
            return LOUPE_EFAULT;
        uint64_t rest = untouched->mapping.end - addr;
        size_t part = rest < len ? (size_t)rest : len;
        status = read_part(untouched, addr, to, part);
        addr += part;
        to += part;
        len -= part;
    }
    return status;
}

/* Up to where a file has a hole, at most end; addr: it has none there. Behind its last bytes there
 * is nothing but a hole, up to its end, and behind that nothing at all. */
static loupe_addr end_of_hole(const struct loupe_untouched *untouched, loupe_addr addr,
                              loupe_addr end) {
    struct loupe_system_file about;
    uint64_t offset = offset_of(untouched, addr);
    int64_t data = loupe_system_find_data(untouched->file, offset);
    if (data == LOUPE_SYSTEM_NO_DATA && loupe_system_stat(untouched->file, &about)) {
        data = (int64_t)about.size;
        if (data <= (int64_t)offset)
            return end;
    }
    if (data <= (int64_t)offset)
        return addr;
    uint64_t length = ((uint64_t)data - offset) / untouched->page * untouched->page;
    return length < end - addr ? addr + length : end;
}

loupe_addr loupe_untouched_zeroes(struct loupe_untouched *untouched, loupe_addr addr,
                                  loupe_addr end) {
    loupe_addr at = addr, next;
    if (loupe_untouched_has_page(untouched, addr, addr + 1, &next) ||
        !find_mapping(untouched, addr) || untouched->source == IN_PLACE)
        return addr;
    if (end > untouched->mapping.end)
        end = untouched->mapping.end;
    if (untouched->source == OF_FILE)
        end = end_of_hole(untouched, addr, end);
    while (at < end && !loupe_untouched_has_page(untouched, at, end, &next))
        at = next;
    return at;
}

/* ---- What nobody tells of ---- */

static uint64_t count_untouched(struct loupe_untouched *untouched, loupe_addr *first_ret) {
    uint64_t bytes = 0;
    for (loupe_addr at = untouched->mapping.start, next; at < untouched->mapping.end; at = next) {
        if (loupe_untouched_has_page(untouched, at, untouched->mapping.end, &next))
            continue;
        if (!bytes)
            *first_ret = at;
        bytes += next - at;
    }
    return bytes;
}

struct unread_search {
    struct loupe_untouched *untouched;
    struct loupe_process_unread unread[LOUPE_UNREAD_COUNT];
};

/* Of memory nobody expects anything where the program itself has no page; of a file, and of what
 * somebody fills in, somebody may. */
static void count_unread(struct unread_search *search, enum loupe_unread_reason reason) {
    struct loupe_untouched *untouched = search->untouched;
    struct loupe_process_unread *unread = &search->unread[reason];
    loupe_addr first = 0;
    uint64_t bytes = count_untouched(untouched, &first);
    if (!unread->bytes)
        *unread = (struct loupe_process_unread){.reason = reason, .first = first};
    unread->bytes += bytes;
    unread->is_loss |= bytes && (reason == LOUPE_UNREAD_OF_OTHERS ||
                                 !is_memory_with_name(untouched->mapping.path));
}

static enum loupe_status search_unread(void *visitor, const char *text) {
    struct unread_search *search = visitor;
    struct loupe_untouched *untouched = search->untouched;
    const struct loupe_proc_mapping *mapping = &untouched->mapping;
    struct loupe_proc_pages pages;
    while (loupe_proc_smaps_next(&text, &untouched->mapping, &pages)) {
        if (!mapping->readable || !mapping->writable)
            continue;
        close_file(untouched);
        enum source source = pages.handled ? OF_OTHERS : find_source(untouched);
        if (source == OF_OTHERS)
            count_unread(search, LOUPE_UNREAD_OF_OTHERS);
        else if (source == HIDDEN && mapping->inode)
            count_unread(search, LOUPE_UNREAD_HIDDEN);
    }
    return LOUPE_OK;
}

enum loupe_status loupe_untouched_visit_unread(struct loupe_untouched *untouched,
                                               loupe_unread_visit visit, void *visitor) {
    struct unread_search search = {.untouched = untouched};
    enum loupe_status status = loupe_records_visit(untouched->chunks, "/proc/thread-self/smaps",
                                                   "VmFlags:", search_unread, &search);
    close_file(untouched);
    untouched->next_line = untouched->map;
    untouched->mapping = (struct loupe_proc_mapping){0};
    for (unsigned i = 0; !status && i < LOUPE_UNREAD_COUNT; i++)
        if (search.unread[i].bytes)
            status = visit(visitor, &search.unread[i]);
    return status;
}
