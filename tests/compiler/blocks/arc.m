/*
 * Blocks under ARC. See check_blocks.py for what the comments mean.
 */
__attribute__((objc_root_class)) @interface Root
@end
typedef void (^Block)(void);
typedef struct { long words[10]; } Big;
typedef Big (^BigBlock)(void);
typedef const struct __Core *CoreRef;
typedef CoreRef OwnedCoreRef __attribute__((NSObject));
void take(Block);
void take_big(BigBlock);
void lend(__attribute__((noescape)) Block);
void use(id);
void use_bytes(const void *, unsigned long);
#define USE(variable) use_bytes((const void *)&(variable), sizeof(variable))

// shape strong: strong 0
void shape(id a) { take(^{ use(a); }); }

// shape strong_strong_weak: strong 0, strong 1, weak 2
void shape(id a, Root *b, id c) { __weak id w = c; take(^{ use(a); use(b); use(w); }); }

// shape block: strong 0, block 1
void shape(Block inner, id a) { take(^{ inner(); use(a); }); }

// shape byref_weak: strong 0, byref 1, weak 2
// byref: strong
void shape(id a, id c) { __block id b = a; __weak id w = c; take(^{ use(a); b = w; }); }

// shape byref_weak_variable: byref 0
// byref: weak
void shape(id a) { __block __weak id b = a; take(^{ use(b); }); }

// shape byref_unretained: byref 0
// byref: unretained
void shape(id a) { __block __unsafe_unretained id b = a; take(^{ use(b); }); }

// shape byref_block: byref 0
// byref: strong
void shape(Block a) { __block Block b = a; take(^{ b(); }); }

// shape byref_number: byref 0
// byref: data
void shape(int a) { __block int b = a; take(^{ b++; }); }

// shape byref_two_objects: byref 0
// byref: strong 0, strong 1
void shape(id a) { __block struct { id x, y; } b = {a, a}; take(^{ b.x = b.y; }); }

// shape byref_record: byref 0
// byref: strong 1, weak 2
void shape(id a) {
    __block struct { long n; id x; __weak id y; } b = {1, a, a};
    take(^{ b.x = b.y; });
}

// shape byref_plain_record: byref 0
// byref: data
void shape(long a) { __block struct { long n, m; } b = {a, a}; take(^{ b.n = b.m; }); }

// shape seven_byrefs: byref 0, byref 1, byref 2, byref 3, byref 4, byref 5, byref 6
void shape(int a) {
    __block int b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    take(^{ b = c + d + e + f + g + h; });
}

// shape number:
void shape(int a) { take(^{ USE(a); }); }

// shape number_and_object: strong 0
void shape(int a, id b) { take(^{ USE(a); use(b); }); }

// shape pointers_and_selectors: strong 0
void shape(id a, id __strong *b, char *c, SEL d, CoreRef e) {
    take(^{ use(a); USE(b); USE(c); USE(d); USE(e); });
}

// shape core_type_that_is_an_object: strong 0
void shape(OwnedCoreRef a) { OwnedCoreRef b = a; take(^{ USE(b); }); }

// shape unretained: unretained 0
void shape(id a) { __unsafe_unretained id u = a; take(^{ use(u); }); }

// shape strong_unretained: strong 0, unretained 1
void shape(id a, id b) { __unsafe_unretained id u = b; take(^{ use(a); use(u); }); }

// shape class: unretained 0
void shape(Class a) { take(^{ use(a); }); }

// shape record: strong 0, weak 1, unretained 3, strong 4
struct record { id a; __weak id b; int c; __unsafe_unretained id d; id e; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape record_with_numbers: strong 1, weak 3
struct record { int a; id b; int c; __weak id d; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape record_behind_an_object: strong 0, strong 2
struct record { char a; id b; };
void shape(struct record *from, id b) { struct record a = *from; take(^{ USE(a); use(b); }); }

// shape packed_record: strong 0+1
struct __attribute__((packed)) record { char a; id b; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape record_with_bits: strong 0, strong 2
// layout: strong 0, strong 1, strong 2
struct record { id a; int b : 3, c : 5; id d; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape record_with_arrays: strong 1, strong 2, strong 3, weak 4, weak 5, weak 6, weak 7, strong 9, strong 11
struct record { char a; id b[3]; __weak id c[2][2]; struct { int d; id e; } f[2]; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape record_with_a_block_and_volatiles: block 0, strong 1, strong 3
struct record { Block a; volatile id b; volatile int c; id d; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape records_in_records: strong 0, strong 2, weak 4, strong 5
struct inner { long a; id b; };
struct middle { struct inner c; long d; __weak id e; };
struct record { id f; struct middle g; id h; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape arrays_in_arrays: weak 0, strong 1, strong 2, weak 3, strong 4, strong 5
struct inner { __weak id a; id b[2]; };
struct record { struct inner c[2]; };
void shape(struct record *from) { struct record a = *from; take(^{ USE(a); }); }

// shape union:
union choice { void *a; long b; };
void shape(union choice a) { take(^{ USE(a); }); }

// shape many: strong 0, strong 1, strong 2, strong 3, strong 4, strong 5, strong 6, strong 7, strong 8, strong 9, strong 10, strong 11, strong 12, strong 13, strong 14, strong 15, strong 16, byref 17, weak 18
void shape(id a, id b, id c, id d, id e, id f, id g, id h, id i, id j, id k, id l, id m, id n, id o,
           id p, id q) {
    __block id r = a;
    __weak id s = a;
    take(^{
        use(a); use(b); use(c); use(d); use(e); use(f); use(g); use(h); use(i); use(j); use(k);
        use(l); use(m); use(n); use(o); use(p); use(q); use(r); use(s);
    });
}

// shape fifteen_and_a_byref: strong 0, strong 1, strong 2, strong 3, strong 4, strong 5, strong 6, strong 7, strong 8, strong 9, strong 10, strong 11, strong 12, strong 13, strong 14, byref 15
void shape(id a, id b, id c, id d, id e, id f, id g, id h, id i, id j, id k, id l, id m, id n, id o) {
    __block id r = a;
    take(^{
        use(a); use(b); use(c); use(d); use(e); use(f); use(g); use(h); use(i); use(j); use(k);
        use(l); use(m); use(n); use(o); use(r);
    });
}

// shape vector: strong 2, strong 3
// only: 64
typedef float Vector __attribute__((vector_size(16)));
void shape(Vector a, id b, id c) { take(^{ USE(a); use(b); use(c); }); }

// shape wide_vector: strong 4, strong 5
// only: 64
typedef float Vector __attribute__((vector_size(32)));
void shape(Vector *from, id b, id c) { Vector a = *from; take(^{ USE(a); use(b); use(c); }); }

// shape long_double: strong 2
// only: x86_64
void shape(long double a, id b) { take(^{ USE(a); use(b); }); }

// shape noescape: unretained 0
// noescape
void shape(id a) { lend(^{ use(a); }); }

// shape noescape_byref: unretained 0
// noescape
void shape(id a) { __block id b = a; lend(^{ b = a; }); }

// shape noescape_weak_and_unretained: unretained 0, weak 1, unretained 2
// noescape
void shape(id a, id b) {
    __weak id w = a;
    __unsafe_unretained id u = b;
    lend(^{ use(a); use(w); use(u); });
}

// shape returns_a_record: strong 0
void shape(id a) { take_big(^{ use(a); return (Big){{0}}; }); }

// shape signature_with_everything: strong 0
struct record;
void take_long(void (^)(Big, id, Block, const char *, struct record *, int (*)[3]));
void shape(id a) {
    take_long(^(Big b, id c, Block d, const char *e, struct record *f, int (*g)[3]) { use(a); });
}

// shape signed_pointer: strong 0, weak 1
// only: arm64e
void shape(void *__ptrauth(2, 1, 1234) * from, id b, id c) {
    void *__ptrauth(2, 1, 1234) a = *from;
    __weak id w = c;
    take(^{ use_bytes((void *)(long)&a, 8); use(b); use(w); });
}

// shape record_with_a_signed_pointer: strong 0, strong 2
// only: arm64e
struct record { void *__ptrauth(2, 1, 77) a; id b; };
void shape(struct record *from, id c) { struct record a = *from; take(^{ USE(a); use(c); }); }
