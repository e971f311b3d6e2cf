/* Where debuggers stop, under the same name whatever language the program is in. */
void loupe_fixture_ready(void);

__attribute__((noinline)) void loupe_fixture_ready(void) {
    __asm__ volatile("" ::: "memory");
}
