#pragma once
#include <mach/mach.h>

typedef mach_port_t task_t;
typedef uintptr_t vm_address_t;

typedef struct {
    vm_address_t address;
    vm_size_t size;
} vm_range_t;

typedef kern_return_t memory_reader_t(task_t task, vm_address_t address, vm_size_t size,
                                      void **local);
typedef void vm_range_recorder_t(task_t task, void *context, unsigned type, vm_range_t *ranges,
                                 unsigned count);

/* The first of the functions that every zone has for tools; the others are not called here. */
typedef struct malloc_introspection_t {
    kern_return_t (*enumerator)(task_t task, void *context, unsigned types, vm_address_t zone,
                                memory_reader_t reader, vm_range_recorder_t recorder);
    void *others[15];
    unsigned zone_type;
} malloc_introspection_t;

typedef struct malloc_zone_t {
    void *functions[9];
    const char *zone_name;
    void *batch_functions[2];
    malloc_introspection_t *introspect;
    unsigned version;
    void *later[11];
} malloc_zone_t;

#define MALLOC_PTR_IN_USE_RANGE_TYPE 1

extern kern_return_t malloc_get_all_zones(task_t task, memory_reader_t reader,
                                          vm_address_t **addresses, unsigned *count);
