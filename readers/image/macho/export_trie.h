/*
 * export_trie.h - what an image of Mach-O exports: the trie by which the loader finds symbols.
 */
#ifndef LOUPE_READERS_EXPORT_TRIE_H
#define LOUPE_READERS_EXPORT_TRIE_H

#include "base/target/memory.h"

/*
 * Looks up a name as the linker wrote it, with its underscore, in the trie that stands in a range
 * of memory. Any bytes may stand there. *offset_ret: from the image's header. False: the image
 * exports no such symbol, or hands on that of another, or what was read is no trie.
 */
bool loupe_export_trie_find(struct loupe_memory *memory, struct loupe_range trie, const char *name,
                            uint64_t *offset_ret);

#endif
