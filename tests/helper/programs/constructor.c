/* A library that runs code while it is loaded. */
void loupe_test_constructor(void);

__attribute__((constructor)) void loupe_test_constructor(void) {
    __asm__ volatile("");
}
