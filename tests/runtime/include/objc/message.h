/*
 * objc/message.h - message dispatch. Cast these to the type of the method before calling them.
 */
#ifndef LOUPE_TEST_OBJC_MESSAGE_H
#define LOUPE_TEST_OBJC_MESSAGE_H

#include <objc/objc.h>

struct objc_super {
    id receiver;
    /* The class to search from (objc_msgSendSuper), or the class whose superclass to search from
     * (objc_msgSendSuper2, which the compiler calls). */
    Class super_class;
};

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wincompatible-library-redeclaration"
#endif
OBJC_EXTERN void objc_msgSend(void);
OBJC_EXTERN void objc_msgSendSuper(void);
OBJC_EXTERN void objc_msgSendSuper2(void);
#ifdef __x86_64__
OBJC_EXTERN void objc_msgSend_stret(void);
OBJC_EXTERN void objc_msgSendSuper_stret(void);
OBJC_EXTERN void objc_msgSendSuper2_stret(void);
OBJC_EXTERN void objc_msgSend_fpret(void);
OBJC_EXTERN void objc_msgSend_fp2ret(void);
#endif
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#endif
