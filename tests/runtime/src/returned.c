/*
 * returned.c - the hand-over of results between ARC methods and their callers.
 */
#include "internal.h"

OBJC_EXTERN id objc_autoreleaseReturnValue(id object);
OBJC_EXTERN id objc_retainAutorelease(id object);
OBJC_EXTERN id objc_retainAutoreleaseReturnValue(id object);
OBJC_EXTERN id objc_retainAutoreleasedReturnValue(id object);
OBJC_EXTERN id objc_claimAutoreleasedReturnValue(id object);
OBJC_EXTERN id objc_unsafeClaimAutoreleasedReturnValue(id object);

id objc_autoreleaseReturnValue(id object) {
    return objc_autorelease(object);
}

id objc_retainAutorelease(id object) {
    return objc_autorelease(objc_retain(object));
}

id objc_retainAutoreleaseReturnValue(id object) {
    return objc_retainAutorelease(object);
}

id objc_retainAutoreleasedReturnValue(id object) {
    return objc_retain(object);
}

id objc_claimAutoreleasedReturnValue(id object) {
    return objc_retain(object);
}

id objc_unsafeClaimAutoreleasedReturnValue(id object) {
    return object;
}
