/*
 * cxx.c - of libc++ and libc++abi what programs of the tests take of them that no header has:
 * memory, type descriptions by name, and the ends of programs. Names are those of the Itanium ABI.
 * Nothing is thrown in a box.
 */
#include <stddef.h>
#include <stdint.h>

void *malloc(size_t size);
void free(void *block);
_Noreturn void host_box_stop(const char *text, const void *address);

/* ---- new and delete ---- */

#define NEW(symbol)                                                                                \
    void *new_##symbol(size_t size) __asm__("_" #symbol);                                          \
    void *new_##symbol(size_t size) {                                                              \
        void *block = malloc(size ? size : 1);                                                     \
        if (!block)                                                                                \
            host_box_stop("operator new has no memory", NULL);                                     \
        return block;                                                                              \
    }

#define DELETE(symbol)                                                                             \
    void delete_##symbol(void *block) __asm__("_" #symbol);                                        \
    void delete_##symbol(void *block) {                                                            \
        free(block);                                                                               \
    }

NEW(_Znwm)
NEW(_Znam)
DELETE(_ZdlPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPv)
DELETE(_ZdaPvm)

/* With an alignment that malloc() does not give. */
void *aligned_alloc(size_t alignment, size_t size);

void *new_aligned(size_t size, size_t alignment) __asm__("__ZnwmSt11align_val_t");
void *new_aligned(size_t size, size_t alignment) {
    return aligned_alloc(alignment, size);
}

DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdlPvSt11align_val_t)

/* ---- Descriptions of types begin with these; they are compared by address alone ---- */

#define VTABLE(symbol)                                                                             \
    const uintptr_t table_##symbol[8] __asm__("_" #symbol);                                        \
    const uintptr_t table_##symbol[8] = {0};

VTABLE(_ZTVN10__cxxabiv117__class_type_infoE)
VTABLE(_ZTVN10__cxxabiv120__si_class_type_infoE)
VTABLE(_ZTVN10__cxxabiv121__vmi_class_type_infoE)
VTABLE(_ZTVN10__cxxabiv119__pointer_type_infoE)
VTABLE(_ZTVN10__cxxabiv120__function_type_infoE)
VTABLE(_ZTISt12length_error)
VTABLE(_ZTVSt12length_error)
VTABLE(_ZTISt20bad_array_new_length)

/* ---- What is never to happen ---- */

#define NEVER(symbol)                                                                              \
    _Noreturn void never_##symbol(void) __asm__("_" #symbol);                                      \
    _Noreturn void never_##symbol(void) {                                                          \
        host_box_stop(#symbol, NULL);                                                              \
    }

NEVER(__cxa_pure_virtual)
NEVER(__cxa_throw)
NEVER(__cxa_rethrow)
NEVER(__cxa_begin_catch)
NEVER(__cxa_end_catch)
NEVER(__cxa_allocate_exception)
NEVER(__cxa_free_exception)
NEVER(__gxx_personality_v0)
NEVER(_ZSt9terminatev)
NEVER(_ZNSt11logic_errorC2EPKc)
NEVER(_ZNSt12length_errorD1Ev)
NEVER(_ZNSt20bad_array_new_lengthC1Ev)
NEVER(_ZNSt20bad_array_new_lengthD1Ev)
NEVER(_ZNSt3__122__libcpp_verbose_abortEPKcz)

/* ---- Variables of functions, made once ---- */

int __cxa_guard_acquire(uint8_t *guard) {
    return !__atomic_load_n(guard, __ATOMIC_ACQUIRE);
}

void __cxa_guard_release(uint8_t *guard) {
    __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
}
