/* Blocks in plain C: no layout, and a descriptor whose name says nothing. */
typedef void (^Block)(void);
void take(Block);
void use_bytes(const void *, unsigned long);
#define USE(variable) use_bytes((const void *)&(variable), sizeof(variable))

// shape block_and_byref: block 0, byref 1
// layout:
// name:
void shape(Block inner, int n) { __block int b = n; take(^{ inner(); b++; }); }

// shape number:
void shape(int n) { take(^{ USE(n); }); }
