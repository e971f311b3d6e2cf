/*
 * loading.c - what a loader owes a program: pointers, imports, variables of threads, what runs
 * before main(), libraries that are inserted and opened, and names.
 */
#include "system.h"

struct dl_info {
    const char *path;
    void *image;
    const char *name;
    void *symbol;
};

int atoi(const char *text);
char *getenv(const char *name);
void *dlopen(const char *name, int mode);
void *dlsym(void *handle, const char *name);
char *dlerror(void);
int dladdr(const void *address, struct dl_info *ret);
void _dyld_register_func_for_add_image(void (*told)(const void *header, intptr_t slide));
uint32_t _dyld_image_count(void);
const char *_dyld_get_image_name(uint32_t index);
int pthread_create(void **thread, const void *attributes, void *(*routine)(void *), void *argument);
int pthread_join(void *thread, void **result);
extern int missing_function(void) __attribute__((weak_import));

#define DEFAULT ((void *)-2)

static int plain = 3;
static int *const pointers[] = {&plain, &plain, &plain};
static __thread int initialized = 41;
static __thread int zeroed;
static int starts, images_told;

__attribute__((constructor)) static void start(int count, char **arguments) {
    starts += count > 0 && arguments[0] ? 1 : 100;
}

static void count_image(const void *header, intptr_t slide) {
    (void)slide;
    images_told += header != NULL;
}

static void *in_thread(void *argument) {
    (void)argument;
    CHECK_EQ(initialized, 41);
    CHECK_EQ(zeroed, 0);
    initialized = 7;
    return &initialized;
}

static void check_thread_variables(void) {
    void *thread, *of_other = NULL;
    initialized++;
    CHECK_EQ(pthread_create(&thread, NULL, in_thread, NULL), 0);
    CHECK_EQ(pthread_join(thread, &of_other), 0);
    CHECK(of_other && of_other != &initialized);
    CHECK_EQ(initialized, 42);
}

static void check_opened(void) {
    int before = images_told;
    void *library = dlopen("@rpath/libbox_opened.dylib", 2);
    CHECK(library);
    int (*number)(void) = (int (*)(void))dlsym(library, "opened_number");
    int *ran = dlsym(DEFAULT, "opened_starts");
    CHECK(number && number() == 5);
    CHECK(ran && *ran == 1);
    CHECK_EQ(images_told, before + 1);
    CHECK(!dlopen("@rpath/libbox_nothing.dylib", 2));
    char *error = dlerror();
    CHECK(error && strstr(error, "libbox_nothing"));
    CHECK(!dlerror());
}

static void check_names(void) {
    struct dl_info info = {0};
    CHECK(dladdr((char *)check_names + 1, &info));
    CHECK(info.symbol == (void *)check_names && strcmp(info.name, "check_names") == 0);
    CHECK(strstr(info.path, "box_loading"));
    CHECK(dladdr((void *)free, &info));
    CHECK(strcmp(info.path, "/usr/lib/system/libsystem_malloc.dylib") == 0);
    CHECK(!dladdr(&info, &info));
    CHECK(strstr(_dyld_get_image_name(0), "box_loading"));
    CHECK(strstr(_dyld_get_image_name(1), "libbox_inserted"));
}

int main(int count, char **arguments) {
    CHECK_EQ(count, 3);
    CHECK(strcmp(arguments[2], "two") == 0);
    CHECK_EQ(starts, 1);
    CHECK(*pointers[2] == 3 && pointers[0] == &plain);
    CHECK(!missing_function);
    CHECK_EQ(atoi("5"), 1005);
    check_thread_variables();
    _dyld_register_func_for_add_image(count_image);
    CHECK_EQ(images_told, _dyld_image_count());
    check_opened();
    check_names();
    return checks_result();
}
