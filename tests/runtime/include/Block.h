/*
 * Block.h - copying and releasing blocks from C.
 */
#ifndef LOUPE_TEST_BLOCK_H
#define LOUPE_TEST_BLOCK_H

#ifdef __cplusplus
#define BLOCK_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define BLOCK_EXPORT extern __attribute__((visibility("default")))
#endif

BLOCK_EXPORT void *_Block_copy(const void *block);
BLOCK_EXPORT void _Block_release(const void *block);
BLOCK_EXPORT void _Block_object_assign(void *destination, const void *object, const int flags);
BLOCK_EXPORT void _Block_object_dispose(const void *object, const int flags);

BLOCK_EXPORT unsigned long Block_size(void *block);
BLOCK_EXPORT const char *_Block_signature(void *block);
BLOCK_EXPORT const char *_Block_extended_layout(void *block);

BLOCK_EXPORT void *_NSConcreteGlobalBlock[];
BLOCK_EXPORT void *_NSConcreteStackBlock[];

#define Block_copy(...) ((__typeof(__VA_ARGS__))_Block_copy((const void *)(__VA_ARGS__)))
#define Block_release(...) _Block_release((const void *)(__VA_ARGS__))

#endif
