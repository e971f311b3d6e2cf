/* A library with a symbol that is exported and one that only its own symbol table names. */
const void *loupe_test_exported(void);

#define NOT_EXPORTED(name)                                                                         \
    __attribute__((noinline, used)) static const void *name(void) {                                \
        return (const void *)(unsigned long)name;                                                  \
    }

/* In this order; in the other build both have another place. */
#ifdef OTHER_BUILD
NOT_EXPORTED(loupe_test_beside)
NOT_EXPORTED(loupe_test_not_exported)
#else
NOT_EXPORTED(loupe_test_not_exported)
NOT_EXPORTED(loupe_test_beside)
#endif

__attribute__((visibility("default"))) const void *loupe_test_exported(void) {
    return loupe_test_beside() ? loupe_test_not_exported() : 0;
}
