/* What compilers' own library tells of the processor, as far as a test asks: whether it has AVX. */
#include <cpuid.h>

struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;

__attribute__((constructor(101))) static void look(void) {
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_AVX)
        __cpu_model.features[0] = 1u << 9;
}
