/* The zones of malloc, as macOS 13 declares them: a type of zone is told by later headers alone. */
#pragma once
#include <mach/mach_types.h>
#include <stddef.h>

typedef struct {
    vm_address_t address;
    vm_size_t size;
} vm_range_t;

typedef kern_return_t memory_reader_t(task_t task, vm_address_t address, vm_size_t size,
                                      void **local);
typedef void vm_range_recorder_t(task_t task, void *context, unsigned type, vm_range_t *ranges,
                                 unsigned count);

/* Beside the function that is called here, others for tools, of as many words. */
typedef struct malloc_introspection_t {
    kern_return_t (*enumerator)(task_t task, void *context, unsigned types, vm_address_t zone,
                                memory_reader_t reader, vm_range_recorder_t recorder);
    void *others[15];
} malloc_introspection_t;

typedef struct _malloc_zone_t {
    void *functions[9];
    const char *zone_name;
    void *batch_functions[2];
    malloc_introspection_t *introspect;
    unsigned version;
    void *later_functions[5];
} malloc_zone_t;

#define MALLOC_PTR_IN_USE_RANGE_TYPE 1

#ifdef __cplusplus
extern "C" {
#endif
malloc_zone_t *malloc_default_zone(void);
kern_return_t malloc_get_all_zones(task_t task, memory_reader_t reader, vm_address_t **addresses,
                                   unsigned *count);
size_t malloc_good_size(size_t size);
size_t malloc_size(const void *block);
malloc_zone_t *malloc_zone_from_ptr(const void *block);
#ifdef __cplusplus
}
#endif
