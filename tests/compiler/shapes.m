/*
 * What the compiler encodes for every shape, and where it puts its members: a table that the
 * checker finds in the object file. Compiled for machines that tests do not run on, too.
 */
#include "shapes.h"

#ifdef __cplusplus

struct empty {};
template <typename T> struct vec {
    T *first, *last;
};
struct polymorphic {
    virtual void f();
    id o;
};
namespace inner {
template <char C, bool B> struct deep {
    int i;
    id o;
};
} // namespace inner
typedef inner::deep<'<', true> shape_deep;

#define SHAPE_ALIGNMENT alignof
#define UNSIZED(SHAPE)  SHAPES_CXX(SHAPE)
#define SIZED(SHAPE)

#else

@class Some;
#ifdef __clang__
typedef void (^shape_block_type)(id);
#else
typedef id shape_block_type;
#endif

#define SHAPE_ALIGNMENT _Alignof
#define UNSIZED(SHAPE)  SHAPES(SHAPE) SHAPES_ONLY_WITHOUT_NAMES(SHAPE)
#define SIZED(SHAPE)    SHAPES_ONLY_WITH_SIZE(SHAPE)

#endif

UNSIZED(SHAPE_STRUCT)
SIZED(SHAPE_STRUCT)

#define UNSIZED_ROW(name, definition, ...) SHAPE_ROW(name, 0, __VA_ARGS__)
#define SIZED_ROW(name, definition, ...)   SHAPE_ROW(name, 1, __VA_ARGS__)
#define ONE(name, ...)                     +1

enum { ROW_COUNT = 0 UNSIZED(ONE) SIZED(ONE) };

struct shape_table {
    struct shape_table_head head;
    struct shape_row rows[ROW_COUNT];
};

extern const struct shape_table shape_table;
const struct shape_table shape_table = {
    {SHAPES_MAGIC, ROW_COUNT, sizeof(struct shape_row)},
    {UNSIZED(UNSIZED_ROW) SIZED(SIZED_ROW)},
};
