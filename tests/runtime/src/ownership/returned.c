/*
 * returned.c - the hand-over of results between ARC methods and their callers.
 *
 * A method returns an autoreleased object, and an ARC caller retains it at once. When the return
 * address shows that this is what comes next, the pool is left out: the reference is handed over in
 * the object and a note in the thread says so. A count is then the same as on a Mac, where a
 * temporary that only passed through is not kept alive by a pool.
 */
#include "internal.h"

#include <string.h>

OBJC_EXTERN id objc_autoreleaseReturnValue(id object);
OBJC_EXTERN id objc_retainAutorelease(id object);
OBJC_EXTERN id objc_retainAutoreleaseReturnValue(id object);
OBJC_EXTERN id objc_retainAutoreleasedReturnValue(id object);
OBJC_EXTERN id objc_claimAutoreleasedReturnValue(id object);
OBJC_EXTERN id objc_unsafeClaimAutoreleasedReturnValue(id object);

/* What the function that returns has left for the caller: nothing, the object as the caller knows
 * it, or the object with one more reference. */
enum hand_over { NO_HAND_OVER = 0, AT_PLUS_0, AT_PLUS_1 };
static __thread enum hand_over handed_over;

#if defined(__x86_64__)

/* "jmp *slot(%rip)", the form of an entry of the procedure linkage table, with or without the mark
 * of an indirect branch target and the prefix of bounds checking before it. */
static const void *jump_target(const uint8_t *code) {
    static const uint8_t endbr64[4] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (memcmp(code, endbr64, sizeof endbr64) == 0)
        code += sizeof endbr64;
    if (*code == 0xf2)
        code++;
    if (code[0] != 0xff || code[1] != 0x25)
        return code;
    int32_t distance;
    memcpy(&distance, code + 2, sizeof distance);
    const void *target;
    memcpy(&target, code + 6 + distance, sizeof target);
    return target;
}

/* "mov %rax, %rdi; call" of one of the two functions that take a result over. */
static bool caller_takes_over(const uint8_t *return_address) {
    static const uint8_t move_and_call[4] = {0x48, 0x89, 0xc7, 0xe8};
    if (memcmp(return_address, move_and_call, sizeof move_and_call) != 0)
        return false;
    int32_t distance;
    memcpy(&distance, return_address + 4, sizeof distance);
    const void *target = jump_target(return_address + 8 + distance);
    return target == (const void *)(uintptr_t)objc_retainAutoreleasedReturnValue ||
           target == (const void *)(uintptr_t)objc_unsafeClaimAutoreleasedReturnValue;
}

#else

/* "mov x29, x29", which the compiler puts there for this purpose. */
static bool caller_takes_over(const uint8_t *return_address) {
    uint32_t instruction;
    memcpy(&instruction, return_address, sizeof instruction);
    return instruction == 0xaa1d03fd;
}

#endif

bool rt_hand_over(const void *return_address) {
    if (!caller_takes_over(return_address))
        return false;
    handed_over = AT_PLUS_1;
    return true;
}

static enum hand_over take_over(void) {
    enum hand_over how = handed_over;
    handed_over = NO_HAND_OVER;
    return how;
}

id objc_autoreleaseReturnValue(id object) {
    if (rt_hand_over(__builtin_return_address(0)))
        return object;
    return objc_autorelease(object);
}

id objc_retainAutorelease(id object) {
    return objc_autorelease(objc_retain(object));
}

id objc_retainAutoreleaseReturnValue(id object) {
    if (caller_takes_over(__builtin_return_address(0))) {
        handed_over = AT_PLUS_0;
        return object;
    }
    return objc_retainAutorelease(object);
}

id objc_retainAutoreleasedReturnValue(id object) {
    return take_over() == AT_PLUS_1 ? object : objc_retain(object);
}

id objc_claimAutoreleasedReturnValue(id object) {
    return objc_retainAutoreleasedReturnValue(object);
}

id objc_unsafeClaimAutoreleasedReturnValue(id object) {
    if (take_over() == AT_PLUS_1)
        objc_release(object);
    return object;
}
