/* Words that the kernel keeps for the process, of hosts that can ask it. */
#include "scene/parts.h"

#include "base/text.h"

static enum loupe_status take_word(void *visitor, const struct loupe_process_kernel_word *word) {
    struct loupe_scene *scene = visitor;
    struct loupe_root_source source = {.kind = LOUPE_ROOT_KERNEL, .word = word->word};
    if (!word->told) {
        scene->kernel_untold++;
        return LOUPE_OK;
    }
    if (!loupe_scene_region(scene, word->word)) /* a number, as that of a file */
        return LOUPE_OK;
    source.holder = loupe_arena_copy_string(&scene->target->arena, loupe_span_of(word->holder));
    return source.holder ? loupe_scene_add_source(scene, source) : LOUPE_ENOMEM;
}

enum loupe_status loupe_scene_take_kernel(struct loupe_scene *scene) {
    const struct loupe_memory *memory = scene->target->memory;
    const struct loupe_process_ops *process = memory->ops->process;
    if (!process || !process->kernel_words)
        return LOUPE_OK;
    enum loupe_status status = process->kernel_words(memory->ctx, take_word, scene);
    scene->kernel_told = status == LOUPE_OK;
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}
