/*
 * shapes.h - structs of every form, each with its members in the order of its encoding.
 *
 * SHAPE(name, definition, members...): all members that have no members and are no bit-fields. The
 * compiler that knows the structs writes down what it encodes and where it puts them; the decoder
 * must come to the same by the encoding alone.
 *
 * Some need the size of the whole, because their encoding leaves something open.
 */
#ifndef LOUPE_TESTS_SHAPES_H
#define LOUPE_TESTS_SHAPES_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define SHAPES(SHAPE)                                                                              \
    SHAPE(pair, { int a; id o; }, a, o)                                                            \
    SHAPE(small, { char a; short b; char c; int d; char e; }, a, b, c, d, e)                       \
    SHAPE(wide, { char a; long long b; char c; double d; }, a, b, c, d)                            \
    SHAPE(words, { char a; void *p; char b; SEL s; Class k; char *t; }, a, p, b, s, k, t)          \
    SHAPE(longs, { char a; long b; unsigned long c; short d; }, a, b, c, d)                        \
    SHAPE(padded, { char a; struct { char b; id o; } in; }, a, in.b, in.o)                         \
    SHAPE(tail, { struct { id o; char c; } s; char d; id x; }, s.o, s.c, d, x)                     \
    SHAPE(deep, { char a; struct { char b; struct { char c; id o; char d; } in; id p; } in; id q; },\
          a, in.b, in.in.c, in.in.o, in.in.d, in.p, q)                                             \
    SHAPE(objects, { char a; id x[2]; char b; }, a, x[0], x[1], b)                                 \
    SHAPE(matrix, { short a; int m[2][2]; char b[3]; },                                            \
          a, m[0][0], m[0][1], m[1][0], m[1][1], b[0], b[1], b[2])                                 \
    SHAPE(structs, { char a; struct { char c; id o; } m[2]; short b; },                            \
          a, m[0].c, m[0].o, m[1].c, m[1].o, b)                                                    \
    SHAPE(choice, { char a; union { char c; int i; id o; double d; } u; char b; },                 \
          a, u.c, u.i, u.o, u.d, b)                                                                \
    SHAPE(odd_choice, { char a; union { char c[5]; short s; } u; char b; },                        \
          a, u.c[0], u.c[1], u.c[2], u.c[3], u.c[4], u.s, b)                                       \
    SHAPE(anonymous, { char a; struct { short b; id o; }; union { int i; float f; }; char z; },    \
          a, b, o, i, f, z)                                                                        \
    SHAPE(block, { char a; shape_block_type handler; char b; }, a, handler, b)                     \
    SHAPE(functions, { char a; int (*f)(int); void **pp; const char *s; }, a, f, pp, s)            \
    SHAPE(complex, { char a; _Complex float f; char b; _Complex double d; }, a, f, b, d)           \
    SHAPE(extended, { char a; long double d; char b; }, a, d, b)                                   \
    SHAPE(flags, { _Bool a; _Bool b; int32_t i; _Bool c; }, a, b, i, c)                            \
    SHAPE(classes, { char a; Some *s; char b; Some *t; id u; }, a, s, b, t, u)                     \
    SHAPE(pointers, { char a; struct opaque *p; struct pair *q; struct pair **r; },  a, p, q, r)   \
    SHAPE(bits, { unsigned a : 3; unsigned b : 5; id o; }, o)                                      \
    SHAPE(bits_behind, { char c; int a : 3; int b : 30; char d; id o; }, c, d, o)                  \
    SHAPE(bits_full, { int a : 32; int b : 1; char c; }, c)                                        \
    SHAPE(bits_wide, { char c; long long a : 40; long long b : 20; long long d : 10; id o; }, c, o)

#define SHAPES_ONLY_WITH_SIZE(SHAPE)                                                               \
    SHAPE(bits_char, { unsigned char a : 3; unsigned char b : 7; char c; }, c)                     \
    SHAPE(bits_short, { unsigned short a : 9; unsigned short b : 9; char c; }, c)                  \
    SHAPE(bits_long, { unsigned long long a : 3; char c; id o; char d; }, c, o, d)                 \
    SHAPE(packed, { char c; id o; short s; } __attribute__((packed)), c, o, s)                     \
    SHAPE(packed_bits, { char c; unsigned a : 7; unsigned b : 30; id o; } __attribute__((packed)), \
          c, o)

/* What cannot be an ivar. */
#define SHAPES_ONLY_WITHOUT_NAMES(SHAPE)                                                           \
    SHAPE(flexible, { int count; char c; id rest[]; }, count, c)

/* Members without an encoding, which leave a trace only where members have names. */
#define SHAPES_ONLY_WITH_NAMES(SHAPE)                                                              \
    SHAPE(vectors, { char c; shape_vector v; id o; }, c, v, o)                                     \
    SHAPE(small_vector, { char c; shape_small_vector v; id o; }, c, v, o)                          \
    SHAPE(columns, { shape_vector v[3]; id o; }, v[0], v[1], v[2], o)                              \
    SHAPE(half, { char c; __fp16 h; char d; id o; }, c, h, d, o)

#define SHAPES_CXX(SHAPE)                                                                          \
    SHAPE(with_empty, { char a; empty e; empty f; id o; }, a, o)                                   \
    SHAPE(of_template, { char a; vec<vec<int>> v; vec<id> w; char b; },                            \
          a, v.first, v.last, w.first, w.last, b)                                                  \
    SHAPE(derived, : polymorphic { id p; }, o, p)                                                  \
    SHAPE(scoped, { char a; shape_deep d; char b; }, a, d.i, d.o, b)
/* clang-format on */

enum { SHAPE_NAME_SIZE = 24, SHAPE_ENCODING_SIZE = 400, SHAPE_MAX_MEMBERS = 16 };

/* One shape as bytes without pointers, so that it can be read from an object file of any machine.
 */
struct shape_row {
    char name[SHAPE_NAME_SIZE];
    char encoding[SHAPE_ENCODING_SIZE];
    uint32_t needs_size;
    uint32_t size;
    uint32_t alignment;
    uint32_t count;
    uint32_t offsets[SHAPE_MAX_MEMBERS];
};

#define SHAPES_MAGIC "these are shapes, in the order of shapes.h"

struct shape_table_head {
    char magic[64];
    uint32_t row_count;
    uint32_t row_size;
};

/* ---- From the list to C ---- */

#define SHAPE_STRUCT(name, definition, ...) struct shape_##name definition;

/* EACH(action, name, members...): action(name, member) for every member, with commas. */
#define EACH_1(action, name, m)                        action(name, m)
#define EACH_2(action, name, m, ...)                   action(name, m), EACH_1(action, name, __VA_ARGS__)
#define EACH_3(action, name, m, ...)                   action(name, m), EACH_2(action, name, __VA_ARGS__)
#define EACH_4(action, name, m, ...)                   action(name, m), EACH_3(action, name, __VA_ARGS__)
#define EACH_5(action, name, m, ...)                   action(name, m), EACH_4(action, name, __VA_ARGS__)
#define EACH_6(action, name, m, ...)                   action(name, m), EACH_5(action, name, __VA_ARGS__)
#define EACH_7(action, name, m, ...)                   action(name, m), EACH_6(action, name, __VA_ARGS__)
#define EACH_8(action, name, m, ...)                   action(name, m), EACH_7(action, name, __VA_ARGS__)
#define COUNT(...)                                     COUNT_PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COUNT_PICK(a, b, c, d, e, f, g, h, count, ...) count
#define EACH(action, name, ...)                        EACH_N(COUNT(__VA_ARGS__), action, name, __VA_ARGS__)
#define EACH_N(count, action, name, ...)               EACH_CAT(count, action, name, __VA_ARGS__)
#define EACH_CAT(count, action, name, ...)             EACH_##count(action, name, __VA_ARGS__)

#define SHAPE_OFFSET(name, member) (uint32_t) offsetof(struct shape_##name, member)
#define SHAPE_ROW(name, sized, ...)                                                                \
    {                                                                                              \
#name, @encode(struct shape_##name), sized, sizeof(struct shape_##name),                   \
            SHAPE_ALIGNMENT(struct shape_##name), COUNT(__VA_ARGS__), {                            \
            EACH(SHAPE_OFFSET, name, __VA_ARGS__)                                                  \
        }                                                                                          \
    }                                                                                              \
    ,

#endif
