/*
 * Blocks in Objective-C++ under ARC, where the extended layout misses and misplaces most. See
 * check_blocks.py for what the comments mean.
 */
__attribute__((objc_root_class)) @interface Root
@end
typedef void (^Block)(void);
void take(Block);
void use(id);
void use_bytes(const void *, unsigned long);
#define USE(variable) use_bytes((const void *)&(variable), sizeof(variable))
struct Owner { Owner(const Owner &); ~Owner(); id object; };
struct Copied { Copied(const Copied &); void *p; };
struct Destroyed { Destroyed(const Destroyed &) = default; ~Destroyed(); void *p; };

// shape strong: strong 0
void shape(id a) { take(^{ use(a); }); }

// shape object_with_an_object: strong 0, cxx 1
// layout: strong 0, strong 1
// both: strong 0, strong 1
void shape(id a, const Owner &from) { Owner b = from; take(^{ use(a); USE(b); }); }

// Helpers that skip a capture still write its offset; what only the other one handles is not named.
// shape copied_and_destroyed: strong 0, cxx 1, cxx 2
// layout: strong 0
// helper: strong 0, cxx 1
void shape(id a, const Copied &c, const Destroyed &d) {
    Copied b = c;
    Destroyed e = d;
    take(^{ use(a); USE(b); USE(e); });
}

// shape byrefs_that_may_throw: strong 0, byref 1, byref 2
void shape(const Owner &from, id a) {
    __block Owner b = from;
    __block id c = a;
    take(^{ USE(b); c = a; });
}

// shape this_and_unretained: unretained 1
// layout: unretained 0
struct Shape { int n; void shape(id); };
void Shape::shape(id b) { __unsafe_unretained id u = b; take(^{ USE(n); use(u); }); }

// shape strong_this_unretained: strong 0, unretained 2
// layout: strong 0, strong 1, unretained 2
struct Shape { int n; void shape(id, id); };
void Shape::shape(id a, id b) {
    __unsafe_unretained id u = b;
    take(^{ USE(n); use(a); use(u); });
}

// shape weak_this_pointer: weak 0
// layout: weak 0, weak 1
struct Shape { int n; void shape(id, void *); };
void Shape::shape(id a, void *p) { __weak id w = a; take(^{ USE(n); use(w); USE(p); }); }

// shape derived: strong 0, cxx 1
// layout: strong 0, strong 1, strong 2, strong 3, weak 4
// both: strong 0, strong 1, strong 2, strong 3, weak 4
struct Base { virtual void f(); id b; };
struct Derived : Base { id i; __weak id w; };
void shape(id a, const Derived &from) { Derived b = from; take(^{ use(a); USE(b); }); }

// shape derived_alone: cxx 0
// layout: strong 0, weak 1
// both: strong 0, weak 1, cxx 2
struct Base { virtual void f(); id b; };
struct Derived : Base { id i; __weak id w; };
void shape(const Derived &from) { Derived b = from; take(^{ USE(b); }); }

// shape lambda: cxx 0
// layout:
void shape(id a, id b, int c) {
    auto lambda = [a, b, c] { use(a); use(b); USE(c); };
    take(^{ lambda(); });
}

// shape reference:
void shape(long &a) { take(^{ USE(a); }); }
