#include "pictures/heap_picture.h"

enum loupe_status heap_picture_write(const struct heap_picture *heap, struct loupe_json *json) {
    loupe_json_put_uint(json, "objects", heap->objects);
    return LOUPE_OK;
}
