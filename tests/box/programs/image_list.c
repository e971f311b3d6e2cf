/*
 * image_list.c - dyld's list for debuggers: where it stands, what it has, and that it grows. With
 * the argument "across" half of it is on either side of a megabyte's border, and an older dyld made
 * it.
 */
#include "system.h"

struct image_info {
    const uint32_t *header;
    const char *path;
    uintptr_t modified;
};
struct all_image_infos {
    uint32_t version, count;
    struct image_info *images;
    void (*notify)(int mode, uint32_t count, const struct image_info *images);
    bool detached, has_started;
    const uint32_t *dyld;
};

extern uint32_t mach_task_self_;
extern uintptr_t vm_page_size;
int task_info(uint32_t task, uint32_t flavor, void *info, uint32_t *count);
void *dlopen(const char *name, int mode);
uint32_t _dyld_image_count(void);
const void *_dyld_get_image_header(uint32_t index);

static struct all_image_infos *infos(void) {
    struct {
        uint64_t address, size;
        int32_t format;
    } info;
    uint32_t count = 4;
    CHECK_EQ(task_info(mach_task_self_, 17, &info, &count), 4);
    count = 5;
    CHECK_EQ(task_info(mach_task_self_, 16, &info, &count), 4);
    CHECK_EQ(task_info(mach_task_self_, 17, &info, &count), 0);
    CHECK(info.format == 1 && info.size >= sizeof(struct all_image_infos));
    CHECK_EQ(info.address % 16, 8);
    return (struct all_image_infos *)info.address;
}

static void check_list(const struct all_image_infos *all) {
    CHECK(all->has_started && all->notify);
    CHECK_EQ(*all->dyld, 0xfeedfacf);
    CHECK_EQ(all->count, _dyld_image_count());
    for (uint32_t i = 0; i < all->count; i++)
        CHECK(all->images[i].header == _dyld_get_image_header(i) && *all->images[i].path);
    CHECK(strstr(all->images[0].path, "box_image_list"));
    CHECK(strcmp(all->images[1].path, "/usr/lib/libSystem.B.dylib") == 0);
}

int main(int count, char **arguments) {
    const struct all_image_infos *all = infos();
    check_list(all);
    CHECK(dlopen("@rpath/libbox_opened.dylib", 2));
    check_list(all);
    if (count > 1 && strcmp(arguments[1], "across") == 0) {
        CHECK((uintptr_t)all->images >> 20 != (uintptr_t)(all->images + all->count) >> 20);
        CHECK_EQ(all->version, 2);
        CHECK_EQ((uintptr_t)(all + 1) % vm_page_size, 0);
    }
    return checks_result();
}
