/* What a compiler makes of sources. */
#define _GNU_SOURCE

#include "fix/clang/reading.h"

#include "fix/clang/arguments.h"
#include "fix/clang/reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_TEXTS = 16, LONGEST_NAME = 256 };

/* ---- In the child: one source ---- */

struct reading {
    struct libclang clang;
    const char *top; /* the folder of the sources, whole */
    struct clang_text texts[MOST_TEXTS];
    unsigned text_count;
    bool is_manual;
    struct clang_arguments arguments;
    fix_say say;
    void *context;
};

static char *path_of(const char *top, const char *file) {
    char *path = malloc(PATH_MAX);
    if (path)
        loupe_format(path, PATH_MAX, "%s/%s", top, file);
    return path;
}

static bool begin(struct reading *reading, const char *folder) {
    const struct fix_record none = {.kind = RECORD_NO_CLANG};
    reading->top = realpath(folder, NULL);
    if (libclang_open(&reading->clang))
        return reading->top != NULL;
    reading->say(&none, reading->context);
    return false;
}

static void add_text(struct reading *reading, const char *file, struct loupe_span bytes) {
    if (reading->text_count == MOST_TEXTS)
        return;
    reading->texts[reading->text_count++] = (struct clang_text){
        .name = path_of(reading->top, file), .bytes = bytes.bytes, .length = bytes.length};
}

/* A source that is read as it is on the disk may have some. */
static bool has_blocks(const struct reading *reading, const char *path) {
    for (unsigned i = 0; i < reading->text_count; i++) {
        const struct clang_text *text = &reading->texts[i];
        if (text->name && strcmp(text->name, path) == 0)
            return memchr(text->bytes, '^', text->length) != NULL;
    }
    return true;
}

static void *parse(struct reading *reading, const char *file) {
    struct clang_arguments *arguments = &reading->arguments;
    const char *path = path_of(reading->top, file);
    void *unit = NULL;
    if (!path)
        return NULL;
    const struct clang_asked asked = {path, reading->top, reading->is_manual,
                                      has_blocks(reading, path)};
    clang_arguments_of(&reading->clang, &asked, arguments);
    if (arguments->is_full || chdir(arguments->folder ? arguments->folder : reading->top))
        return NULL;
    int failed =
        reading->clang.parse(reading->clang.create_index(0, 0), path, arguments->items,
                             arguments->count, reading->texts, reading->text_count, 0, &unit);
    return failed ? NULL : unit;
}

/* "FILE:LINE: MESSAGE", the file from the folder on. */
static void describe(const struct reading *reading, void *diagnostic, char *text, size_t room) {
    const struct libclang *clang = &reading->clang;
    void *file = NULL;
    unsigned line = 0;
    size_t top = strlen(reading->top);
    clang->place(clang->place_of_diagnostic(diagnostic), &file, &line, NULL, NULL);
    const char *name = file ? clang->text(clang->name_of_file(file)) : NULL;
    if (name && strncmp(name, reading->top, top) == 0 && name[top] == '/')
        name += top + 1;
    const char *message = clang->text(clang->message(diagnostic));
    if (name)
        loupe_format(text, room, "%s:%u: %s", name, line, message ? message : "");
    else
        loupe_format(text, room, "%s", message ? message : "");
}

/* Says the first error of a source. False: it has none. */
static bool say_error(const struct reading *reading, void *unit) {
    struct fix_record record = {.kind = RECORD_ERROR};
    const struct libclang *clang = &reading->clang;
    for (unsigned i = 0; unit && i < clang->count_diagnostics(unit); i++) {
        void *diagnostic = clang->diagnostic(unit, i);
        if (clang->severity(diagnostic) < CLANG_ERROR)
            continue;
        describe(reading, diagnostic, record.text, sizeof(record.text));
        reading->say(&record, reading->context);
        return true;
    }
    if (unit)
        return false;
    loupe_format(record.text, sizeof(record.text), "clang makes nothing of it");
    reading->say(&record, reading->context);
    return true;
}

/* ---- Before and after ---- */

struct judging {
    const char *folder;
    const struct fix_rewritten *files;
    uint32_t count;
    const char *const *sources;
    uint32_t source_count;
    bool is_manual;
};

struct complaints {
    const char **items;
    unsigned count;
};

/* False: no memory. */
static bool take_complaints(const struct reading *reading, void *unit, struct complaints *ret) {
    const struct libclang *clang = &reading->clang;
    unsigned count = clang->count_diagnostics(unit);
    free(ret->items);
    *ret = (struct complaints){.items = calloc(count + 1, sizeof(*ret->items))};
    for (unsigned i = 0; ret->items && i < count; i++) {
        void *diagnostic = clang->diagnostic(unit, i);
        const char *message = clang->text(clang->message(diagnostic));
        if (message && clang->severity(diagnostic) >= CLANG_WARNING)
            ret->items[ret->count++] = message;
    }
    return ret->items != NULL;
}

/* Takes it out. */
static bool was_said(struct complaints *before, const char *message) {
    for (unsigned i = 0; i < before->count; i++) {
        if (before->items[i] && strcmp(before->items[i], message) == 0) {
            before->items[i] = NULL;
            return true;
        }
    }
    return false;
}

static void say_what_is_new(const struct reading *reading, void *unit, struct complaints *before) {
    struct fix_record record = {.kind = RECORD_WORSE};
    const struct libclang *clang = &reading->clang;
    for (unsigned i = 0; i < clang->count_diagnostics(unit); i++) {
        void *diagnostic = clang->diagnostic(unit, i);
        const char *message = clang->text(clang->message(diagnostic));
        if (clang->severity(diagnostic) < CLANG_WARNING || (message && was_said(before, message)))
            continue;
        describe(reading, diagnostic, record.text, sizeof(record.text));
        reading->say(&record, reading->context);
        return;
    }
}

static void use_texts(struct reading *reading, const struct judging *judging, bool after) {
    reading->text_count = 0;
    for (uint32_t i = 0; i < judging->count; i++)
        add_text(reading, judging->files[i].file->path,
                 after ? judging->files[i].after : judging->files[i].file->source.text);
}

static void judge_source(struct reading *reading, const struct judging *judging,
                         struct complaints *before, const char *source) {
    const struct fix_record record = {.kind = RECORD_READ};
    use_texts(reading, judging, false);
    void *unit = parse(reading, source);
    if (say_error(reading, unit) || !take_complaints(reading, unit, before))
        return;
    use_texts(reading, judging, true);
    void *patched = parse(reading, source);
    if (!patched)
        return;
    say_what_is_new(reading, patched, before);
    reading->say(&record, reading->context);
}

static void judge(const void *request, fix_say say, void *context) {
    const struct judging *judging = request;
    struct reading *reading = calloc(1, sizeof(*reading));
    struct complaints *before = calloc(1, sizeof(*before));
    if (!reading || !before)
        return;
    reading->say = say;
    reading->context = context;
    reading->is_manual = judging->is_manual;
    if (!begin(reading, judging->folder))
        return;
    for (uint32_t i = 0; i < judging->source_count; i++)
        judge_source(reading, judging, before, judging->sources[i]);
}

static bool take_judgement(const struct fix_record *record, void *context) {
    struct fix_judged *judged = context;
    bool is_first = !judged->said[0];
    if (record->kind == RECORD_NO_CLANG)
        judged->state = FIX_NOT_READ;
    judged->read += record->kind == RECORD_READ;
    judged->with_errors += record->kind == RECORD_ERROR;
    if (record->kind == RECORD_WORSE && !judged->is_worse) {
        judged->is_worse = true;
        is_first = true;
    }
    if (is_first && record->text[0])
        loupe_format(judged->said, sizeof(judged->said), "%s", record->text);
    return true;
}

void fix_judge(const char *folder, const struct fix_rewritten *files, uint32_t count,
               const char *const *sources, uint32_t source_count, bool is_manual,
               struct fix_judged *ret) {
    const struct judging judging = {folder, files, count, sources, source_count, is_manual};
    *ret = (struct fix_judged){.state = FIX_READ};
    if (!fix_run_reader(judge, &judging, take_judgement, ret))
        ret->state = FIX_READING_FAILED;
    else if (ret->state == FIX_READ && !ret->read)
        ret->state = FIX_READ_WITH_ERRORS;
}

/* ---- Uses of a variable in a block ---- */

struct looking {
    const char *folder;
    const struct fix_file *file;
    size_t caret;
    struct loupe_span variable;
    bool is_manual;
};

/* A place in the syntax tree, with what is around it. */
struct spot {
    const struct reading *reading;
    const struct looking *looking;
    void *file; /* the source, for clang */
    unsigned block_from, block_to;
    bool is_made;            /* in a block within it that a macro makes */
    bool is_inside;          /* the block */
    unsigned member;         /* where the ivar stands that is looked at */
    char ivar[LONGEST_NAME]; /* its name */
};

static bool place_of(const struct spot *spot, clang_location location, unsigned *ret) {
    void *file = NULL;
    spot->reading->clang.place(location, &file, NULL, NULL, ret);
    return file && file == spot->file;
}

static bool stands_at(const struct spot *spot, unsigned offset, const char *name) {
    struct loupe_span text = spot->looking->file->source.text;
    size_t length = strlen(name);
    return offset <= text.length && text.length - offset >= length &&
           memcmp(text.bytes + offset, name, length) == 0;
}

static void say_use(const struct spot *spot, unsigned offset, enum fix_use use) {
    const struct fix_record record = {.kind = RECORD_USE, .number = offset, .detail = use};
    spot->reading->say(&record, spot->reading->context);
}

/* Names are what the source has there, else a macro stands there; and what a macro makes a block of
 * is captured by that. */
static void note_use(const struct spot *spot, clang_cursor cursor, const char *name) {
    unsigned offset = 0;
    bool is_named = place_of(spot, spot->reading->clang.location(cursor), &offset);
    if (!is_named)
        offset = spot->member;
    bool is_there = stands_at(spot, offset, is_named ? name : spot->ivar) && !spot->is_made;
    say_use(spot, offset,
            !is_there  ? FIX_USED_BY_MACRO
            : is_named ? FIX_NAMES_VARIABLE
                       : FIX_NAMES_IVAR);
}

/* Declared outside of the block. */
static bool means_variable(const struct spot *spot, clang_cursor cursor, const char *name) {
    const struct libclang *clang = &spot->reading->clang;
    clang_cursor declaration = clang->declaration(cursor);
    const char *declared = clang->text(clang->name(declaration));
    unsigned offset = 0;
    bool is_variable = declaration.kind == CLANG_VARIABLE || declaration.kind == CLANG_PARAMETER;
    if (!is_variable || !declared || strcmp(declared, name) != 0)
        return false;
    return !place_of(spot, clang->location(declaration), &offset) || offset < spot->block_from ||
           offset >= spot->block_to;
}

static void note_type(const struct spot *spot, clang_cursor cursor) {
    const struct libclang *clang = &spot->reading->clang;
    const struct fix_record record = {.kind = RECORD_OBJECT};
    int kind = clang->canonical(clang->type(cursor)).kind;
    if (kind == CLANG_TYPE_ID || kind == CLANG_TYPE_OBJECT)
        spot->reading->say(&record, spot->reading->context);
}

static int look_at(clang_cursor cursor, clang_cursor parent, void *context) {
    struct spot spot = *(const struct spot *)context;
    const struct libclang *clang = &spot.reading->clang;
    char name[LONGEST_NAME];
    unsigned offset = 0;
    (void)parent;
    loupe_format(name, sizeof(name), "%.*s", (int)spot.looking->variable.length,
                 spot.looking->variable.bytes);
    if (cursor.kind == CLANG_BLOCK && spot.is_inside)
        spot.is_made |= !place_of(&spot, clang->start(clang->extent(cursor)), &offset) ||
                        !stands_at(&spot, offset, "^");
    if (cursor.kind == CLANG_BLOCK && !spot.is_inside &&
        place_of(&spot, clang->start(clang->extent(cursor)), &offset) &&
        offset == spot.looking->caret) {
        spot.is_inside = true;
        spot.block_from = offset;
        place_of(&spot, clang->end(clang->extent(cursor)), &spot.block_to);
    }
    if (cursor.kind == CLANG_MEMBER_USED && place_of(&spot, clang->location(cursor), &offset)) {
        spot.member = offset;
        loupe_format(spot.ivar, sizeof(spot.ivar), "%s", clang->text(clang->name(cursor)));
    }
    bool is_self = cursor.kind == CLANG_SELF_USED && strcmp(name, "self") == 0;
    if (spot.is_inside &&
        (is_self || (cursor.kind == CLANG_NAME_USED && means_variable(&spot, cursor, name)))) {
        note_use(&spot, cursor, name);
        note_type(&spot, cursor);
    }
    clang->visit(cursor, look_at, &spot);
    return CLANG_CONTINUE;
}

static int look_at_top(clang_cursor cursor, clang_cursor parent, void *context) {
    struct spot *spot = context;
    const struct libclang *clang = &spot->reading->clang;
    if (!clang->is_in_main_file(clang->location(cursor)))
        return CLANG_CONTINUE;
    if (!spot->file)
        clang->place(clang->location(cursor), &spot->file, NULL, NULL, NULL);
    return look_at(cursor, parent, context);
}

static void look(const void *request, fix_say say, void *context) {
    const struct looking *looking = request;
    struct reading *reading = calloc(1, sizeof(*reading));
    const struct fix_record record = {.kind = RECORD_READ};
    if (!reading)
        return;
    reading->say = say;
    reading->context = context;
    reading->is_manual = looking->is_manual;
    if (!begin(reading, looking->folder))
        return;
    add_text(reading, looking->file->path, looking->file->source.text);
    void *unit = parse(reading, looking->file->path);
    struct spot spot = {.reading = reading, .looking = looking};
    if (say_error(reading, unit))
        return;
    reading->clang.visit(reading->clang.root(unit), look_at_top, &spot);
    say(&record, context);
}

struct taking {
    struct fix_uses *uses;
    struct loupe_arena *arena;
    bool has_no_memory;
};

static bool take_use(const struct fix_record *record, void *context) {
    struct taking *taking = context;
    struct fix_uses *uses = taking->uses;
    if (record->kind == RECORD_NO_CLANG)
        uses->state = FIX_NOT_READ;
    if (record->kind == RECORD_ERROR)
        uses->state = FIX_READ_WITH_ERRORS;
    if (record->kind == RECORD_READ)
        uses->state = FIX_READ;
    uses->is_object |= record->kind == RECORD_OBJECT;
    if (record->kind != RECORD_USE)
        return true;
    uses->items = loupe_arena_grow(taking->arena, uses->items, uses->count, &uses->capacity,
                                   sizeof(*uses->items));
    taking->has_no_memory = !uses->items;
    if (uses->items)
        uses->items[uses->count++] =
            (struct fix_used){record->number, (enum fix_use)record->detail};
    return uses->items != NULL;
}

bool fix_read_uses(const char *folder, const struct fix_file *file, size_t caret,
                   struct loupe_span variable, bool is_manual, struct loupe_arena *arena,
                   struct fix_uses *ret) {
    const struct looking looking = {folder, file, caret, variable, is_manual};
    struct taking taking = {.uses = ret, .arena = arena};
    *ret = (struct fix_uses){.state = FIX_READING_FAILED};
    if (variable.length >= LONGEST_NAME)
        return true;
    if (!fix_run_reader(look, &looking, take_use, &taking))
        ret->state = FIX_READING_FAILED;
    return !taking.has_no_memory;
}
