/*
 * unwind.c - what code with exceptions names of libunwind. Nothing is ever thrown in a box.
 */
#define NEVER_CALLED(name)                                                                         \
    void name(void) {                                                                              \
        __builtin_trap();                                                                          \
    }

NEVER_CALLED(_Unwind_Resume)
NEVER_CALLED(__gcc_personality_v0)
