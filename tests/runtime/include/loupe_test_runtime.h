/*
 * loupe_test_runtime.h - the truth about objects, told by the runtime that frees them.
 *
 * A fixture watches its objects before it stops, releases its own references afterwards, and asks
 * which of them are gone. Watching takes no reference and changes nothing in the object.
 *
 *     loupe_test_watch(owner, "owner");
 *     loupe_fixture_ready();
 *     owner = nil;
 *     if (!loupe_test_deallocated("owner")) ...
 */
#ifndef LOUPE_TEST_RUNTIME_H
#define LOUPE_TEST_RUNTIME_H

#include <objc/objc.h>

/* Notice the end of an object or of a heap block. The name is copied; one name watches one object,
 * watching a name again forgets what it watched before. A stack or global block, a class and a
 * tagged pointer never end. */
OBJC_EXTERN void loupe_test_watch(id object, const char *name);

/* Has the memory of the object watched under this name been freed? An unknown name ends the
 * program: a fixture that asks for one is wrong. */
OBJC_EXTERN bool loupe_test_deallocated(const char *name);

/* Forgets where all watched objects are, so that no word of the runtime's leads to them. What they
 * were watched for cannot be asked any more. */
OBJC_EXTERN void loupe_test_forget_watched(void);

/* Objects and heap blocks alive now, and byrefs on the heap. Classes, constant strings and tagged
 * pointers do not count. */
OBJC_EXTERN size_t loupe_test_live_object_count(void);
OBJC_EXTERN size_t loupe_test_live_byref_count(void);

/* Called with each object or heap block just before its memory is freed. One observer; NULL ends
 * it. The observer must not message or retain the object. */
typedef void (*loupe_test_free_observer)(const void *object, void *context);
OBJC_EXTERN void loupe_test_set_free_observer(loupe_test_free_observer observer, void *context);

#endif
