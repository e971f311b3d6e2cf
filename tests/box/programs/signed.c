/*
 * signed.c - pointers of every kind that a linker makes fixups of, for a library of arm64e: to own
 * data and code, to other images with an addend, one that may be missing, and more than a page of
 * them.
 */
enum { MANY = 3000 };

struct pointers {
    const void *own, *other, *inside, *missing;
    int (*function)(void), (*elsewhere)(void);
};

extern int other, others[8], missing __attribute__((weak_import));
int elsewhere(void);
int called(void);

static int numbers[8] = {1, 2, 3};

static int function(void) {
    return numbers[0] + other;
}

struct pointers mixed[3] = {{numbers + 1, &other, others + 3, &missing, function, elsewhere},
                            {numbers + 2, &other, others - 1, 0, function, elsewhere},
                            {0, 0, 0, 0, elsewhere, function}};
int *const constant = numbers + 3;

char gap[9000] = {1}; /* the next pointer of the page is far away */

#define TIMES_5(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TIMES_1000(...)                                                                            \
    TIMES_5(TIMES_5(TIMES_5(__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,       \
                            __VA_ARGS__, __VA_ARGS__, __VA_ARGS__)))
const void *many[MANY] = {TIMES_1000(numbers, &other, function)};

int call(void) {
    return called() + function();
}
