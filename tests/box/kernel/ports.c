#include "ports.h"

#include "kernel.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_PORTS = 4096 };

static struct port {
    enum box_port_kind kind;
    uint64_t object;
    unsigned rights;
} ports[MOST_PORTS];

box_port box_task_port;

/* Another one in a child of fork(): no name of its parent is one there. */
static unsigned generation = 3;

/* Indices in the high bits, a generation in the low ones. */
static box_port name_of(unsigned index) {
    return index << 8 | generation;
}

static struct port *port_of(box_port name) {
    unsigned index = name >> 8;
    bool is_one =
        (name & 0xff) == generation && index > 0 && index < MOST_PORTS && ports[index].rights;
    return is_one ? &ports[index] : NULL;
}

/* Rights are not inherited; libSystem asks for the task's own anew (xnu-10063,
 * libsyscall/mach/mach_init.c: _mach_fork_child). */
void box_ports_begin_child(void) {
    enum { STEP = 4, MOST = 0xff };
    generation = generation + STEP > MOST ? 3 : generation + STEP;
    memset(ports, 0, sizeof(ports));
    box_ports_begin();
}

void box_ports_begin(void) {
    ports[1] = (struct port){.kind = BOX_PORT_TASK, .rights = 1};
    box_task_port = name_of(1);
}

box_port box_port_give(enum box_port_kind kind, uint64_t object) {
    unsigned free_one = 0;
    for (unsigned i = MOST_PORTS - 1; i > 0; i--) {
        if (ports[i].rights && ports[i].kind == kind && ports[i].object == object) {
            ports[i].rights++;
            return name_of(i);
        }
        if (!ports[i].rights)
            free_one = i;
    }
    if (!free_one)
        return 0;
    ports[free_one] = (struct port){.kind = kind, .object = object, .rights = 1};
    return name_of(free_one);
}

enum box_port_kind box_port_kind(box_port name, uint64_t *object_ret) {
    const struct port *port = port_of(name);
    if (!port)
        return BOX_PORT_NONE;
    *object_ret = port->object;
    return port->kind;
}

void box_port_die(enum box_port_kind kind, uint64_t object) {
    for (unsigned i = 1; i < MOST_PORTS; i++)
        if (ports[i].rights && ports[i].kind == kind && ports[i].object == object)
            ports[i].kind = BOX_PORT_DEAD;
}

void box_port_take(box_port name) {
    struct port *port = port_of(name);
    if (port)
        port->rights--;
}

int host_mach_port_deallocate(box_port task, box_port name) {
    struct box_kernel_entry entry = box_kernel_enter();
    struct port *port = task == box_task_port ? port_of(name) : NULL;
    int result = BOX_KERN_SUCCESS;
    if (!port)
        result = BOX_KERN_INVALID_NAME;
    else if (port->kind != BOX_PORT_TASK)
        port->rights--;
    box_kernel_leave(entry);
    return result;
}

unsigned box_ports_held(void) {
    unsigned held = 0;
    for (unsigned i = 2; i < MOST_PORTS; i++)
        held += ports[i].rights;
    return held;
}
