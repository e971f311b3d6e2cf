/*
 * ports.h - names of ports, with the rights that the program holds of each (xnu-10063,
 * osfmk/ipc/ipc_right.c): the same port has the same name, each right is to be given back, and a
 * name that is not there is refused. Under the lock of the kernel.
 */
#ifndef LOUPE_BOX_PORTS_H
#define LOUPE_BOX_PORTS_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t box_port;

enum box_port_kind { BOX_PORT_NONE, BOX_PORT_TASK, BOX_PORT_THREAD, BOX_PORT_DEAD };

extern box_port box_task_port;

void box_ports_begin(void);
/* After fork(): no right but that of the task, under another name. */
void box_ports_begin_child(void);
/* The name of a port of which the program has one right more now. 0: there is no room. */
box_port box_port_give(enum box_port_kind kind, uint64_t object);
/* What a name stands for; BOX_PORT_NONE: nothing. */
enum box_port_kind box_port_kind(box_port name, uint64_t *object_ret);
/* The object is gone: who holds rights holds dead ones. */
void box_port_die(enum box_port_kind kind, uint64_t object);

/* Takes a right back. */
void box_port_take(box_port name);
/* All rights but that to the task. */
unsigned box_ports_held(void);

int host_mach_port_deallocate(box_port task, box_port name);
#endif
