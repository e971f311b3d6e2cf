/* A library with nothing in its data but pages of zeroes that nobody writes to. */
enum { PAGE = 4096, SIZE = 1 << 20 };

extern char never_written[SIZE];
char never_written[SIZE] __attribute__((aligned(PAGE)));

extern char *find_never_written(void);
char *find_never_written(void) {
    return never_written;
}
