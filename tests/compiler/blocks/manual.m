/* Blocks under manual retain/release. See check_blocks.py for what the comments mean. */
__attribute__((objc_root_class)) @interface Root
@end
typedef void (^Block)(void);
void take(Block);
void use(id);
void use_bytes(const void *, unsigned long);
#define USE(variable) use_bytes((const void *)&(variable), sizeof(variable))

// shape strong: strong 0
void shape(id a) { take(^{ use(a); }); }

// shape block_and_class: strong 0, strong 1, block 2
void shape(Block inner, id a, Class b) { take(^{ inner(); use(a); use(b); }); }

// shape byref_is_not_retained: byref 0
// byref: unretained
void shape(id a) { __block id b = a; take(^{ b = 0; }); }

// The layout marks what is not retained as strong; only the names of the helpers know better.
// shape strong_and_unretained: strong 0, unretained 1
// layout: strong 0, strong 1
// name: strong 0
void shape(id a, id b) { __unsafe_unretained id u = b; take(^{ use(a); use(u); }); }

// shape unretained_alone: unretained 0
void shape(id b) { __unsafe_unretained id u = b; take(^{ use(u); }); }

// shape record_is_not_retained: unretained 0, unretained 2
struct record { id a; long b; id c; };
void shape(struct record a) { take(^{ USE(a); }); }

// shape object_and_record: strong 0, unretained 1, unretained 3
// layout: strong 0, strong 1, strong 3
// name: strong 0
struct record { id a; long b; id c; };
void shape(struct record a, id b) { take(^{ USE(a); use(b); }); }
