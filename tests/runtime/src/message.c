/*
 * message.c - the slow half of objc_msgSend. The assembler saves the arguments, asks here for the
 * implementation, and jumps to it.
 */
#include "internal.h"

/* How often one message may be passed on before that counts as a ring of forwarders. */
#define MAX_FORWARDS 64

/* Called from the assembler with the address of the saved receiver, which forwarding changes. */
IMP rt_message_lookup(id *receiver, SEL sel);
IMP rt_message_super_lookup(id receiver, Class current, SEL sel);

/* Makes the receiver's class usable: realized and initialized. */
static void prepare(id receiver, Class cls) {
    if (rt_class_is_realized(cls)) {
        rt_class_initialize(rt_class_is_meta(cls) ? (Class)receiver : cls);
    } else {
        /* Only a class or a static object can have a class that nobody realized. */
        Class plain = rt_class_is_meta(cls) ? (Class)receiver : cls;
        rt_class_realize(plain);
        rt_class_initialize(plain);
    }
}

static IMP resolved(id receiver, Class cls, SEL sel) {
    bool on_class = rt_class_is_meta(cls);
    Class owner = on_class ? (Class)receiver : cls;
    SEL resolver = on_class ? rt_sel.resolveClassMethod : rt_sel.resolveInstanceMethod;
    if (!rt_method(owner->isa, resolver))
        return NULL;
    if (!rt_ask_pointer(owner, resolver, sel))
        return NULL;
    return rt_imp(cls, sel);
}

static id forwarding_target(id receiver, Class cls, SEL sel) {
    if (!rt_imp(cls, rt_sel.forwardingTargetForSelector))
        return nil;
    return rt_send_pointer(receiver, rt_sel.forwardingTargetForSelector, sel);
}

static _Noreturn void unrecognized(id receiver, Class cls, SEL sel) {
    if (rt_imp(cls, rt_sel.doesNotRecognizeSelector))
        rt_send_pointer(receiver, rt_sel.doesNotRecognizeSelector, sel);
    rt_fatal("%c[%s %s]: unrecognized selector sent to %p", rt_class_is_meta(cls) ? '+' : '-',
             rt_class_ro(cls)->name, sel_getName(sel), (void *)receiver);
}

IMP rt_message_lookup(id *receiver, SEL sel) {
    for (int forwards = 0; forwards < MAX_FORWARDS; forwards++) {
        Class cls = rt_class(*receiver);
        IMP imp = rt_cached_imp(cls, sel);
        if (imp)
            return imp;
        prepare(*receiver, cls);
        imp = rt_imp(cls, sel);
        if (!imp)
            imp = resolved(*receiver, cls, sel);
        if (imp)
            return imp;
        id target = forwarding_target(*receiver, cls, sel);
        if (!target || target == *receiver)
            unrecognized(*receiver, cls, sel);
        *receiver = target;
    }
    rt_fatal("%s is forwarded in a ring", sel_getName(sel));
}

IMP rt_message_super_lookup(id receiver, Class super, SEL sel) {
    IMP imp = super ? rt_imp(super, sel) : NULL;
    if (!imp && super)
        imp = resolved(receiver, super, sel);
    if (!imp)
        unrecognized(receiver, super ? super : rt_class(receiver), sel);
    return imp;
}
