/*
 * Functions whose frames differ: none, small, large, of unknown size, with all registers that are
 * kept, with a way out before a frame is made, with a call at the very end. They need nothing but
 * themselves, so that an image of any format runs wherever its code is put.
 */
#define NOINLINE __attribute__((noinline))

NOINLINE int leaf(int value) {
    return value * 3 + 1;
}

NOINLINE int small(int value) {
    volatile int kept = leaf(value);
    return kept + leaf(kept);
}

NOINLINE long many(long a, long b, long c, long d, long e, long f) {
    long x = leaf((int)a), y = leaf((int)b), z = leaf((int)c), u = leaf((int)d), v = leaf((int)e);
    return small((int)(x + y)) + z * u + v * f + a + b + c + d + e;
}

NOINLINE int large(int value) {
    volatile char room[6000];
    room[value & 1023] = (char)leaf(value);
    return room[value & 1023] + small(value);
}

NOINLINE int unknown_size(int value) {
    volatile char *room = __builtin_alloca((unsigned)(value & 63) + 8);
    room[0] = (char)small(value);
    return room[0] + leaf(value);
}

NOINLINE int early_out(int *value) {
    if (!*value)
        return 7;
    int kept = leaf(*value), more = small(kept);
    for (int i = 0; i < 3; i++)
        *value += leaf(i + more);
    return kept + *value;
}

NOINLINE int last_call(int value) {
    int kept = small(value);
    return early_out(&kept);
}

NOINLINE int tail(int value) {
    volatile int kept = value;
    leaf(kept);
    return small(kept + 1);
}

NOINLINE double numbers(double value) {
    double half = value / 2;
    return half + leaf((int)half) + value * small((int)value);
}

NOINLINE int recursive(int value) {
    return value ? recursive(value - 1) + leaf(value) : small(3);
}

__attribute__((visibility("default"))) int all(int value) {
    int none = 0;
    long sum = many(value, 2, 3, 4, 5, 6) + large(value) + unknown_size(value) + last_call(value);
    sum += early_out(&none) + tail(value) + (long)numbers(value) + recursive(4);
    return (int)sum;
}
