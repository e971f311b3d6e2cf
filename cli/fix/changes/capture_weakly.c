/* Blocks that capture a variable weakly. */
#include "fix/changes/capture_weakly.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/clang/reading.h"
#include "fix/source/blocks.h"
#include "fix/source/classes.h"
#include "fix/source/doubts.h"
#include "fix/source/reasons.h"

#include <string.h>

enum {
    LONGEST_VARIABLE = 200,
    LONGEST_PREFIX = 16,
    TEXT_ROOM = 4 * LONGEST_VARIABLE,
    MOST_BLOCKS = 64
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The block, or one within it: tokens. */
struct part {
    uint32_t caret, open, close;
    bool ends_early, has_uses;
};

struct scene {
    struct fix_files files;
    struct fix_classes classes;
    struct fix_block block;
    struct part parts[MOST_BLOCKS]; /* the first is the block itself; by their carets */
    uint32_t part_count;
    struct fix_uses seen; /* by a compiler, if one has read the source */
    struct loupe_span variable;
    bool is_self, is_manual;
    char weak[LONGEST_VARIABLE + LONGEST_PREFIX], strong[LONGEST_VARIABLE + LONGEST_PREFIX];
    const char *line_end;
    struct loupe_arena *arena;
    struct fix_patch patch;
    struct fix_reason *reason;
};

static const struct fix_source *source_of(const struct scene *scene) {
    return &scene->block.file->source;
}

static bool is_variable(const struct scene *scene, uint32_t token) {
    return fix_is_name(source_of(scene), token) &&
           json_texts_equal(fix_token_text(source_of(scene), token), scene->variable);
}

/* Behind a dot or an arrow. */
static bool is_member(const struct fix_source *source, uint32_t token) {
    return token && (fix_token_is(source, token - 1, ".") ||
                     (token > 1 && fix_token_is(source, token - 1, ">") &&
                      fix_token_is(source, token - 2, "-")));
}

/* ---- What a compiler has seen ---- */

static bool is_seen(const struct scene *scene) {
    return scene->seen.state == FIX_READ;
}

static bool sees(const struct scene *scene, uint32_t token, enum fix_use use) {
    for (uint32_t i = 0; i < scene->seen.count; i++) {
        if (scene->seen.items[i].offset == fix_token_start(source_of(scene), token) &&
            scene->seen.items[i].use == use)
            return true;
    }
    return false;
}

/* Whether a token of the block stands for the variable. */
static bool is_use(const struct scene *scene, uint32_t token) {
    if (is_seen(scene))
        return sees(scene, token, FIX_NAMES_VARIABLE);
    return is_variable(scene, token) && !is_member(source_of(scene), token);
}

/* ---- The block and those within it ---- */

/* The innermost one whose braces a token is in, or whose head. */
static struct part *part_at(struct scene *scene, uint32_t token) {
    struct part *found = &scene->parts[0];
    for (uint32_t i = 1; i < scene->part_count; i++) {
        if (scene->parts[i].caret <= token && token < scene->parts[i].close)
            found = &scene->parts[i];
    }
    return found;
}

/* Those that give a value back cannot end early. */
static bool find_parts(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    const struct fix_block *block = &scene->block;
    for (uint32_t i = block->caret; i < block->close; i++) {
        uint32_t open;
        if (fix_begins_block(source, i, &open)) {
            if (scene->part_count == MOST_BLOCKS)
                return fix_refuse_at(scene->reason, block->file, i, "too many blocks are in it");
            scene->parts[scene->part_count++] = (struct part){
                .caret = i, .open = open, .close = fix_closing(source, open), .ends_early = true};
        }
        if (fix_token_is(source, i, "return") && !fix_token_is(source, i + 1, ";"))
            part_at(scene, i)->ends_early = scene->is_manual;
    }
    return true;
}

/* ---- What stands in the block ---- */

/* What hides uses of the variable, or means another one by its name. */
static const char *problem_of_word(const struct scene *scene, uint32_t token) {
    static const char *const hides[] = {"super", "weakify", "strongify"};
    const struct fix_source *source = source_of(scene);
    struct loupe_span word = fix_token_text(source, token);
    if (source->tokens[token].kind != FIX_WORD)
        return NULL;
    if (fix_is_one_of(word, hides, COUNT_OF(hides)))
        return "its use of super, weakify or strongify is left to people";
    if (is_seen(scene))
        return sees(scene, token, FIX_USED_BY_MACRO) ? "a macro there uses it" : NULL;
    if (scene->is_self && (loupe_span_starts_with(word, "NSAssert") ||
                           loupe_span_starts_with(word, "NSParameterAssert")))
        return "NSAssert() uses self by itself: NSCAssert() does not";
    return fix_is_macro_here(source, word) ? "a macro is in it" : NULL;
}

/* Whether a name is more than a use of a variable: declared there, or a part of a message. */
static bool means_another(const struct fix_source *source, uint32_t token) {
    static const char *const statements[] = {"return", "in", "else", "do"};
    bool is_selector =
        fix_token_is(source, token + 1, ":") || fix_token_is(source, token - 1, "]") ||
        (fix_token_is(source, token - 1, ")") && fix_token_is(source, token + 1, "]"));
    bool follows_name =
        fix_is_name(source, token - 1) &&
        !fix_is_one_of(fix_token_text(source, token - 1), statements, COUNT_OF(statements));
    return is_selector || follows_name || fix_token_is(source, token - 1, "*");
}

static const char *problem_of_use(const struct fix_source *source, uint32_t token) {
    bool is_assigned =
        fix_token_is(source, token + 1, "=") && !fix_token_is(source, token + 2, "=");
    if (is_assigned || fix_token_is(source, token - 1, "&"))
        return "the variable is changed";
    return means_another(source, token) ? "it is declared anew, or a message has its name" : NULL;
}

/* "typeof(self) name", "__strong typeof(x) name": at is the token before the name. */
static bool is_typed_as_object(const struct fix_source *source, uint32_t at) {
    static const char *const words[] = {"typeof", "__typeof", "__typeof__"};
    uint32_t open = fix_token_is(source, at, ")") ? fix_opening(source, at) : 0;
    if (open < 2 || !fix_is_one_of(fix_token_text(source, open - 1), words, COUNT_OF(words)))
        return false;
    return (open + 2 == at && fix_token_is(source, open + 1, "self")) ||
           fix_token_is(source, open - 2, "__strong");
}

/* "X *name", "id name", "id<P> name", "(X *)name:" anywhere in the function before the block. */
static bool is_seen_as_object(const struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    for (uint32_t i = scene->block.head + 1; i < scene->block.caret; i++) {
        if (!is_variable(scene, i) || is_member(source, i))
            continue;
        if (is_typed_as_object(source, i - 1))
            return true;
        uint32_t before = i - 1 - fix_token_is(source, i - 1, ")");
        while (before &&
               (fix_token_is(source, before, "const") || fix_token_is(source, before, "__strong") ||
                fix_token_is(source, before, "_Nullable") ||
                fix_token_is(source, before, "_Nonnull")))
            before--;
        if (fix_token_is(source, before, "*") || fix_token_is(source, before, "id") ||
            (fix_token_is(source, before, ">") && before > 2 &&
             fix_token_is(source, before - 3, "id")))
            return true;
    }
    return false;
}

/* An argument of a block by the variable's name hides it. */
static bool is_argument(struct scene *scene, uint32_t token) {
    return is_variable(scene, token) && token < part_at(scene, token)->open;
}

static bool check_block(struct scene *scene) {
    const struct fix_block *block = &scene->block;
    const struct fix_source *source = source_of(scene);
    const char *problem = NULL;
    uint32_t i = block->caret, uses = 0;
    for (i++; i < block->close && !problem; i++) {
        problem =
            is_argument(scene, i) ? "an argument of it has that name" : problem_of_word(scene, i);
        if (problem || !is_use(scene, i))
            continue;
        uses++;
        problem = problem_of_use(source, i);
    }
    if (problem)
        return fix_refuse_at(scene->reason, scene->block.file, i - 1, problem);
    for (uint32_t k = block->statement; k < block->caret; k++) {
        if (is_variable(scene, k) && fix_token_is(source, k - 1, "*"))
            return fix_refuse_at(scene->reason, scene->block.file, k,
                                 "the variable is declared in the same statement");
    }
    for (uint32_t k = block->body; k < block->body_end; k++) {
        if (fix_token_is(source, k, scene->weak) || fix_token_is(source, k, scene->strong))
            return fix_refuse_at(scene->reason, scene->block.file, k,
                                 "the function has a weak or strong copy already");
    }
    if (!scene->is_self && !(is_seen(scene) ? scene->seen.is_object : is_seen_as_object(scene)))
        return fix_refuse_at(scene->reason, scene->block.file, block->caret,
                             "the variable is not seen to be a pointer to an object");
    return uses || scene->is_self ||
           fix_refuse_at(scene->reason, scene->block.file, block->caret,
                         "the block does not name the variable");
}

/* ---- Ivars that are named alone ---- */

/* Names before a "," or ";" between the braces of a class. */
static bool declares_ivar(const struct fix_class *part, struct loupe_span name) {
    const struct fix_source *source = &part->file->source;
    for (uint32_t i = part->ivars; part->ivars && i < part->ivars_end; i++) {
        bool ends = fix_token_is(source, i + 1, ";") || fix_token_is(source, i + 1, ",") ||
                    fix_token_is(source, i + 1, "[");
        if (ends && fix_is_name(source, i) && json_texts_equal(fix_token_text(source, i), name))
            return true;
    }
    return false;
}

/* "_title" of a property "title", which has to end its declaration. */
static bool declares_property(const struct fix_class *part, struct loupe_span ivar) {
    const struct fix_source *source = &part->file->source;
    struct loupe_span name = {ivar.bytes + 1, ivar.length - 1};
    bool is_inside = false;
    for (uint32_t i = part->members; i < part->end && ivar.bytes[0] == '_'; i++) {
        if (fix_token_is(source, i, "@property"))
            is_inside = true;
        bool is_last = fix_token_is(source, i + 1, ";") || fix_token_is(source, i + 1, ")");
        if (is_inside && is_last && json_texts_equal(fix_token_text(source, i), name))
            return true;
        is_inside &= !fix_token_is(source, i, ";");
    }
    return false;
}

/* Of the class itself; of any other below the folder it might be a superclass's. */
enum owner { NO_IVAR, OWN_IVAR, MAYBE_IVAR };

/* Whether a name that could be an ivar's is declared in the function, or is a part of a message. */
static bool is_hidden(const struct scene *scene, struct loupe_span name) {
    const struct fix_block *block = &scene->block;
    const struct fix_source *source = source_of(scene);
    for (uint32_t i = block->head + 1; i < block->body_end; i++) {
        if (json_texts_equal(fix_token_text(source, i), name) && !is_member(source, i) &&
            (i < block->body || means_another(source, i)))
            return true;
    }
    return false;
}

static bool any_class_declares(const struct scene *scene, struct loupe_span name) {
    for (uint32_t i = 0; i < scene->files.count; i++) {
        const struct fix_source *source = &scene->files.items[i].source;
        for (uint32_t k = 0; k + 1 < source->count; k++) {
            if (!fix_token_is(source, k, "@interface") &&
                !fix_token_is(source, k, "@implementation"))
                continue;
            struct fix_class part;
            if (fix_ivars_behind(&scene->files.items[i], k + 1, &part) &&
                declares_ivar(&part, name))
                return true;
        }
    }
    return false;
}

static enum owner owner_of(const struct scene *scene, uint32_t token) {
    const struct fix_source *source = source_of(scene);
    struct loupe_span name = fix_token_text(source, token);
    bool is_reserved = name.length > 1 && name.bytes[0] == '_' &&
                       (name.bytes[1] == '_' || (name.bytes[1] >= 'A' && name.bytes[1] <= 'Z'));
    if (is_seen(scene))
        return sees(scene, token, FIX_NAMES_IVAR) ? OWN_IVAR : NO_IVAR;
    if (!fix_is_name(source, token) || is_member(source, token) || is_reserved ||
        loupe_span_equals(name, "_cmd"))
        return NO_IVAR;
    for (uint32_t i = 0; i < scene->classes.count; i++) {
        const struct fix_class *part = &scene->classes.items[i];
        if (declares_ivar(part, name) || declares_property(part, name))
            return is_hidden(scene, name) ? MAYBE_IVAR : OWN_IVAR;
    }
    return name.bytes[0] == '_' || any_class_declares(scene, name) ? MAYBE_IVAR : NO_IVAR;
}

/* ---- The change ---- */

/* "[self ..." and "self." do nothing where it is nil. */
static bool may_be_nil(const struct fix_source *source, uint32_t token) {
    return fix_token_is(source, token - 1, "[") || fix_token_is(source, token + 1, ".");
}

static bool add_weak_copy(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    char text[TEXT_ROOM], name[LONGEST_VARIABLE + 1];
    const char *kind = scene->is_manual ? "__block" : "__weak";
    struct loupe_span blanks;
    fix_begins_line(source, scene->block.statement, &blanks);
    loupe_format(name, sizeof(name), "%.*s", (int)scene->variable.length, scene->variable.bytes);
    if (blanks.length > LONGEST_VARIABLE)
        return fix_refuse_at(scene->reason, scene->block.file, scene->block.statement,
                             FIX_LINE_TOO_FAR);
    loupe_format(text, sizeof(text), "%.*s%s __typeof__(%s) %s = %s;%s", (int)blanks.length,
                 blanks.bytes, kind, name, scene->weak, name, scene->line_end);
    return fix_add_text(&scene->patch, scene->arena, scene->reason,
                        (size_t)(blanks.bytes - source->text.bytes), 0, text);
}

/* What lines of the block are farther to the right than those around it; where they are lined up
 * with something in its head, what most people write. */
static struct loupe_span step_of(struct loupe_span outer, struct loupe_span inner) {
    enum { LONGEST_STEP = 8 };
    bool extends = inner.length > outer.length && inner.length - outer.length <= LONGEST_STEP &&
                   memcmp(inner.bytes, outer.bytes, outer.length) == 0;
    return extends ? (struct loupe_span){inner.bytes + outer.length, inner.length - outer.length}
                   : loupe_span_of("    ");
}

/* The blanks that the line of a token begins with. */
static struct loupe_span blanks_of_line(const struct fix_source *source, uint32_t token) {
    struct loupe_span blanks = {source->text.bytes, 0};
    uint32_t first = token;
    while (first > 0 && !fix_begins_line(source, first, &blanks))
        first--;
    return blanks;
}

static bool add_strong_copy(struct scene *scene, const struct part *block) {
    const struct fix_source *source = source_of(scene);
    bool ends_early = block->ends_early;
    char text[TEXT_ROOM];
    struct loupe_span outer, blanks;
    bool is_in_line = !fix_begins_line(source, block->open + 1, &blanks);
    outer = blanks_of_line(source, block == scene->parts ? scene->block.statement : block->caret);
    if (blanks.length > LONGEST_VARIABLE)
        return fix_refuse_at(scene->reason, scene->block.file, block->open + 1, FIX_LINE_TOO_FAR);
    struct loupe_span step = step_of(outer, blanks);
    if (is_in_line)
        loupe_format(text, sizeof(text), " __strong __typeof__(%s) %s = %s;%s%s%s", scene->weak,
                     scene->strong, scene->weak, ends_early ? " if (!" : "",
                     ends_early ? scene->strong : "", ends_early ? ") return;" : "");
    else if (ends_early)
        loupe_format(text, sizeof(text),
                     "%.*s__strong __typeof__(%s) %s = %s;%s%.*sif (!%s)%s%.*s%.*sreturn;%s",
                     (int)blanks.length, blanks.bytes, scene->weak, scene->strong, scene->weak,
                     scene->line_end, (int)blanks.length, blanks.bytes, scene->strong,
                     scene->line_end, (int)blanks.length, blanks.bytes, (int)step.length,
                     step.bytes, scene->line_end);
    else
        loupe_format(text, sizeof(text), "%.*s__strong __typeof__(%s) %s = %s;%s",
                     (int)blanks.length, blanks.bytes, scene->weak, scene->strong, scene->weak,
                     scene->line_end);
    const struct fix_token *brace = &source->tokens[block->open];
    return fix_add_text(&scene->patch, scene->arena, scene->reason,
                        is_in_line ? brace->offset + brace->length
                                   : (size_t)(blanks.bytes - source->text.bytes),
                        0, text);
}

/* What a token of the block is to the change. */
struct token_use {
    bool is_variable;
    enum owner owner;
};

static struct token_use use_at(const struct scene *scene, uint32_t token) {
    struct token_use use = {.is_variable = is_use(scene, token), .owner = NO_IVAR};
    if (!use.is_variable && scene->is_self)
        use.owner = owner_of(scene, token);
    return use;
}

/* Which blocks use it, and so need a copy of their own. */
static bool find_uses(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    for (uint32_t i = scene->block.open + 1; i < scene->block.close; i++) {
        struct token_use use = use_at(scene, i);
        struct part *part = part_at(scene, i);
        if (use.owner == MAYBE_IVAR)
            return fix_refuse_at(scene->reason, scene->block.file, i,
                                 "a name there may be an ivar, which would be captured by self");
        if (!use.is_variable && use.owner == NO_IVAR)
            continue;
        part->has_uses = true;
        if (!part->ends_early && (use.owner == OWN_IVAR || !may_be_nil(source, i)))
            return fix_refuse_at(
                scene->reason, scene->block.file, i,
                "the block gives a value back and uses it where it may not be nil");
    }
    return true;
}

static bool add_use(struct scene *scene, uint32_t token) {
    struct token_use use = use_at(scene, token);
    char arrow[LONGEST_VARIABLE + LONGEST_PREFIX + 4];
    if (!use.is_variable && use.owner == NO_IVAR)
        return true;
    loupe_format(arrow, sizeof(arrow), "%s->", scene->strong);
    return fix_add_text(&scene->patch, scene->arena, scene->reason,
                        fix_token_start(source_of(scene), token),
                        use.is_variable ? source_of(scene)->tokens[token].length : 0,
                        use.is_variable ? scene->strong : arrow);
}

/* The copies at their braces, and all uses, in their order. */
static bool add_uses(struct scene *scene) {
    for (uint32_t i = scene->block.open; i < scene->block.close; i++) {
        const struct part *part = part_at(scene, i);
        bool begins = i == part->open && part->has_uses && !scene->is_manual;
        if ((begins && !add_strong_copy(scene, part)) || !add_use(scene, i))
            return false;
    }
    return true;
}

static bool make_names(struct scene *scene) {
    struct loupe_span name = scene->variable;
    while (name.length > 1 && name.bytes[0] == '_')
        name = (struct loupe_span){name.bytes + 1, name.length - 1};
    if (!fix_can_be_name(scene->variable) || scene->variable.length > LONGEST_VARIABLE)
        return fix_refuse(scene->reason, FIX_NOT_A_VARIABLE, cli_printable(scene->variable));
    char first = name.bytes[0];
    first = (char)(first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first);
    const char *weak = scene->is_manual ? "unretained" : "weak";
    const char *strong = scene->is_manual ? "unretained" : "strong";
    loupe_format(scene->weak, sizeof(scene->weak), "%s%c%.*s", weak, first, (int)name.length - 1,
                 name.bytes + 1);
    loupe_format(scene->strong, sizeof(scene->strong), "%s%c%.*s", strong, first,
                 (int)name.length - 1, name.bytes + 1);
    return true;
}

static bool check_class(struct scene *scene, struct loupe_span name) {
    if (!scene->is_self)
        return true;
    if (!name.length)
        return fix_refuse_at(scene->reason, scene->block.file, scene->block.caret,
                             "self is not a method's there");
    if (!fix_find_class(&scene->files, name, scene->arena, &scene->classes, scene->reason))
        return false;
    return scene->classes.implementations <= 1 ||
           fix_refuse(scene->reason,
                      "class %s is implemented in %u places: name a smaller folder with --source",
                      cli_printable(name), (unsigned)scene->classes.implementations);
}

bool fix_capture_weakly(const char *folder, const struct fix_captured *captured,
                        struct loupe_arena *arena, struct fix_change *ret,
                        struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    const struct fix_file *file = NULL;
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.variable = captured->variable,
                            .is_self = loupe_span_equals(captured->variable, "self"),
                            .is_manual = captured->is_manual,
                            .arena = arena,
                            .reason = reason};
    if (!captured->file.length || !captured->line || !captured->function.length)
        return fix_refuse(reason, FIX_BLOCK_NOWHERE);
    if (!make_names(scene) ||
        !fix_find_sources(folder, captured->variable, arena, &scene->files, reason) ||
        !fix_choose_file(&scene->files, captured->file, &file, reason) ||
        !fix_find_block(file, captured->line, captured->function, &scene->block, reason))
        return false;
    if (!fix_is_written_by_hand(file, reason))
        return false;
    if (!scene->is_manual && fix_releases_by_hand(&file->source, 0, file->source.count))
        return fix_refuse(reason, "%s retains and releases by itself (code without ARC)",
                          cli_printable(loupe_span_of(file->path)));
    scene->line_end = loupe_span_contains(file->source.text, "\r\n") ? "\r\n" : "\n";
    scene->patch.file = file;
    if (!fix_read_uses(folder, file, fix_token_start(&file->source, scene->block.caret),
                       captured->variable, scene->is_manual, arena, &scene->seen))
        return fix_refuse(reason, "out of memory");
    if (!find_parts(scene) || !check_block(scene) || !check_class(scene, scene->block.class_name) ||
        !find_uses(scene) || !add_weak_copy(scene))
        return false;
    uint32_t before = scene->patch.count;
    if (!add_uses(scene))
        return false;
    if (scene->patch.count == before)
        return fix_refuse_at(scene->reason, scene->block.file, scene->block.caret,
                             "the block does not name the variable");
    const char *rests_on = "before the only block there, in the function of the answer; the file "
                           "is built with ARC";
    if (scene->is_manual)
        rests_on = "before the only block there, in the function of the answer; the block is built "
                   "without ARC, and must not be called when what it captures is freed";
    *ret = (struct fix_change){.patches = {scene->patch}, .count = 1, .rests_on = rests_on};
    return true;
}
