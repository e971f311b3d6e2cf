/*
 * parts.h - what the files of this folder do for one another: each takes a part of the scene.
 */
#ifndef LOUPE_SCENE_PARTS_H
#define LOUPE_SCENE_PARTS_H

#include "scene/scene.h"

/* Each can fail with LOUPE_ENOMEM alone. */

enum loupe_status loupe_scene_add_source(struct loupe_scene *scene,
                                         struct loupe_root_source source);
enum loupe_status loupe_scene_add_gap(struct loupe_scene *scene, struct loupe_scene_gap gap);

/* The region around an address, or NULL. */
const struct loupe_process_region *loupe_scene_region(const struct loupe_scene *scene,
                                                      loupe_addr address);

/* data.c: of all images. Fills thread_local_size, not_objects and of `unused` what is ours. */
enum loupe_status loupe_scene_take_data(struct loupe_scene *scene);
/* threads.c: of all threads. Adds to `unused` what no frame uses of stacks. */
enum loupe_status loupe_scene_take_threads(struct loupe_scene *scene,
                                           const struct loupe_request *request);
/* darwin_stacks.c: whether the region in which a stack pointer stands was made for that stack. */
bool loupe_scene_is_darwins_stack(struct loupe_memory *memory,
                                  const struct loupe_process_region *region,
                                  loupe_addr stack_pointer);
/* kernel.c: what the kernel keeps. The regions are known. */
enum loupe_status loupe_scene_take_kernel(struct loupe_scene *scene);
/* reserved.c: adds to `unused` memory that no word of the program can be in, the helper's too. */
enum loupe_status loupe_scene_leave_out_reserved(struct loupe_scene *scene);

#endif
