/* Code with lines of its own, for the readers of symbols and lines: compiled in every way there is.
 * VARIANT tells the copies of it apart. */
#define NAME_OF_2(name, variant) name##_##variant
#define NAME_OF(name, variant)   NAME_OF_2(name, variant)

int NAME_OF(first, VARIANT)(int a);
int NAME_OF(second, VARIANT)(int a);

static int square(int a) {
    return a * a;
}

int NAME_OF(first, VARIANT)(int a) {
    int sum = 0;
    for (int i = 0; i < a; i++) {
        sum += square(i);
        if (sum > 1000)
            sum -= a;
    }
    return sum;
}

#line 70000 "elsewhere/generated.c"
int NAME_OF(second, VARIANT)(int a) {
    return NAME_OF(first, VARIANT)(a) + 1;
}
