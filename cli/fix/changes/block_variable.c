/* __block variables that do not keep. */
#include "fix/changes/block_variable.h"

#include "answers/json_tree.h"
#include "shared/cli.h"
#include "fix/source/blocks.h"
#include "fix/source/doubts.h"
#include "fix/source/reasons.h"

enum { LONGEST_VARIABLE = 200, TEXT_ROOM = 1024 };

struct scene {
    struct fix_block block;
    struct loupe_span variable;
    uint32_t declared, name, end; /* "__block", the variable's name, ";" */
    char weak[LONGEST_VARIABLE + 8];
    struct loupe_arena *arena;
    struct fix_patch patch;
    struct fix_reason *reason;
};

static const struct fix_source *source_of(const struct scene *scene) {
    return &scene->block.file->source;
}

static bool is_variable(const struct scene *scene, uint32_t token) {
    const struct fix_source *source = source_of(scene);
    return fix_is_name(source, token) && !fix_token_is(source, token - 1, ".") &&
           !fix_token_is(source, token - 1, ">") &&
           json_texts_equal(fix_token_text(source, token), scene->variable);
}

static bool is_assigned(const struct fix_source *source, uint32_t token) {
    return fix_token_is(source, token + 1, "=") && !fix_token_is(source, token + 2, "=");
}

/* ---- Its declaration ---- */

/* The one statement before the block that has __block and its name. */
static bool find_declaration(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    uint32_t keyword = 0, found = 0;
    for (uint32_t i = scene->block.body; i < scene->block.body_end; i++) {
        if (fix_token_is(source, i, ";"))
            keyword = 0;
        if (fix_token_is(source, i, "__block"))
            keyword = i;
        if (!keyword || !is_variable(scene, i) || fix_token_is(source, i - 1, "="))
            continue;
        scene->declared = keyword;
        scene->name = i;
        found += !fix_token_is(source, i - 1, "__block");
        keyword = 0;
    }
    for (scene->end = scene->name;
         scene->end < source->count && !fix_token_is(source, scene->end, ";");)
        scene->end++;
    if (found == 1 && scene->name < scene->block.caret + 1)
        return true;
    return fix_refuse_at(scene->reason, scene->block.file, scene->block.caret,
                         found ? "the __block variable is declared more than once, or after it"
                               : "the declaration of the __block variable is not found");
}

/* What is wrong with a declaration that is to become weak; NULL: nothing. */
static const char *problem_of_declaration(const struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    for (uint32_t i = scene->declared; i < scene->end; i++) {
        if (fix_token_is(source, i, ","))
            return FIX_DECLARED_WITH_MORE;
        if (fix_token_is(source, i, "__weak") || fix_token_is(source, i, "__unsafe_unretained"))
            return "it is weak already";
        if (fix_is_macro_here(source, fix_token_text(source, i)))
            return FIX_IS_MACRO;
    }
    return fix_is_generated(scene->block.file) ? "a program made the file" : NULL;
}

/* ---- Of an object ---- */

/* What it is given is what something else has: a variable, nil. */
static const char *problem_of_use(const struct fix_source *source, uint32_t token) {
    if (fix_token_is(source, token + 1, "-") && fix_token_is(source, token + 2, ">"))
        return "its ivar is used, which a weak reference does not allow";
    bool is_plain = fix_is_name(source, token + 2) && fix_token_is(source, token + 3, ";");
    if (is_assigned(source, token) && !is_plain)
        return FIX_VALUE_UNOWNED;
    return fix_token_is(source, token - 1, "&") ? "its address is taken" : NULL;
}

static bool weaken_object(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    bool is_object = fix_token_is(source, scene->name - 1, "*") ||
                     fix_token_is(source, scene->name - 1, "id") ||
                     (fix_token_is(source, scene->name - 1, ")") &&
                      fix_token_is(source, scene->name - 2, "self"));
    if (!is_object)
        return fix_refuse_at(scene->reason, scene->block.file, scene->name,
                             "it is not seen to be a pointer to an object");
    for (uint32_t i = scene->name; i < scene->block.body_end; i++) {
        const char *problem = is_variable(scene, i) ? problem_of_use(source, i) : NULL;
        if (problem)
            return fix_refuse_at(scene->reason, scene->block.file, i, problem);
    }
    return fix_add_text(&scene->patch, scene->arena, scene->reason,
                        fix_token_end(source_of(scene), scene->declared), 0, " __weak");
}

/* ---- Of a block that calls itself ---- */

/* "__block void (^step)(int);" in a line of its own. */
static const char *problem_of_block(const struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    struct loupe_span blanks;
    uint32_t assigned = 0;
    bool is_plain = fix_token_is(source, scene->name + 1, ")") &&
                    fix_token_is(source, scene->name + 2, "(") &&
                    fix_closing(source, scene->name + 2) + 1 == scene->end;
    if (!is_plain || !fix_begins_line(source, scene->declared, &blanks) ||
        blanks.length > LONGEST_VARIABLE)
        return "its declaration is more than one of a block";
    for (uint32_t i = scene->end; i < scene->block.body_end; i++) {
        bool is_inside = i > scene->block.open && i < scene->block.close;
        if (fix_token_is(source, i, scene->weak))
            return "the function has a weak copy already";
        if (!is_variable(scene, i))
            continue;
        assigned += is_assigned(source, i);
        if (is_assigned(source, i) && (is_inside || i + 2 != scene->block.caret))
            return "it is given something else too";
    }
    return assigned == 1 ? NULL : "the block is not put into it where it is written";
}

static bool add_weak_one(struct scene *scene) {
    const struct fix_source *source = source_of(scene);
    char text[TEXT_ROOM];
    struct loupe_span blanks, before, behind;
    bool ends_in_two = loupe_span_contains(source->text, "\r\n");
    fix_begins_line(source, scene->declared, &blanks);
    size_t type = fix_token_start(source_of(scene), scene->declared + 1),
           name = fix_token_start(source_of(scene), scene->name);
    before = (struct loupe_span){source->text.bytes + type, name - type};
    size_t rest = fix_token_end(source_of(scene), scene->name),
           end = fix_token_end(source_of(scene), scene->end);
    behind = (struct loupe_span){source->text.bytes + rest, end - rest};
    size_t length =
        loupe_format(text, sizeof(text), "%.*s__weak __block %.*s%s%.*s%s", (int)blanks.length,
                     blanks.bytes, (int)before.length, before.bytes, scene->weak,
                     (int)behind.length, behind.bytes, ends_in_two ? "\r\n" : "\n");
    if (length + 1 >= sizeof(text))
        return fix_refuse_at(scene->reason, scene->block.file, scene->declared,
                             "its declaration is too long");
    size_t line = (size_t)(blanks.bytes - source->text.bytes);
    return fix_add_text(&scene->patch, scene->arena, scene->reason, line, 0, text) &&
           fix_add_text(&scene->patch, scene->arena, scene->reason,
                        fix_token_start(source_of(scene), scene->declared),
                        type - fix_token_start(source_of(scene), scene->declared), "");
}

static bool weaken_block(struct scene *scene) {
    char both[LONGEST_VARIABLE + 16];
    const char *problem = problem_of_block(scene);
    if (problem)
        return fix_refuse_at(scene->reason, scene->block.file, scene->name, problem);
    loupe_format(both, sizeof(both), "%s = ", scene->weak);
    if (!add_weak_one(scene) ||
        !fix_add_text(&scene->patch, scene->arena, scene->reason,
                      fix_token_start(source_of(scene), scene->block.caret - 2), 0, both))
        return false;
    for (uint32_t i = scene->block.open; i < scene->block.close; i++) {
        if (is_variable(scene, i) && !fix_add_text(&scene->patch, scene->arena, scene->reason,
                                                   fix_token_start(source_of(scene), i),
                                                   source_of(scene)->tokens[i].length, scene->weak))
            return false;
    }
    return true;
}

/* ---- The whole ---- */

static void name_weak_one(struct scene *scene) {
    char first = scene->variable.bytes[0];
    first = (char)(first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first);
    loupe_format(scene->weak, sizeof(scene->weak), "weak%c%.*s", first,
                 (int)scene->variable.length - 1, scene->variable.bytes + 1);
}

bool fix_weaken_block_variable(const char *folder, const struct fix_captured *captured,
                               struct loupe_arena *arena, struct fix_change *ret,
                               struct fix_reason *reason) {
    struct scene *scene = loupe_arena_alloc(arena, sizeof(*scene));
    const struct fix_file *file = NULL;
    struct fix_files files;
    if (!scene)
        return fix_refuse(reason, "out of memory");
    *scene = (struct scene){.variable = captured->variable, .arena = arena, .reason = reason};
    if (!fix_can_be_name(captured->variable) || captured->variable.length > LONGEST_VARIABLE)
        return fix_refuse(reason, FIX_NOT_A_VARIABLE, cli_printable(captured->variable));
    if (!captured->file.length || !captured->line || !captured->function.length)
        return fix_refuse(reason, FIX_BLOCK_NOWHERE);
    name_weak_one(scene);
    if (!fix_find_sources(folder, captured->variable, arena, &files, reason) ||
        !fix_choose_file(&files, captured->file, &file, reason) ||
        !fix_find_block(file, captured->line, captured->function, &scene->block, reason) ||
        !find_declaration(scene))
        return false;
    const char *problem = problem_of_declaration(scene);
    if (problem)
        return fix_refuse_at(scene->reason, scene->block.file, scene->declared, problem);
    scene->patch.file = file;
    bool is_block = fix_token_is(source_of(scene), scene->name - 1, "^");
    if (!(is_block ? weaken_block(scene) : weaken_object(scene)))
        return false;
    *ret = (struct fix_change){
        .patches = {scene->patch},
        .count = 1,
        .rests_on = is_block ? "the declaration of the variable by which the block calls itself; "
                               "who calls it keeps it meanwhile"
                             : "the declaration of the __block variable; somebody else keeps what "
                               "it has as long as it is used"};
    return true;
}
