/* Allocates a little and prints a sum. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    unsigned sum = 0;
    for (unsigned i = 1; i < 1000; i++) {
        unsigned char *bytes = calloc(i, 1);
        if (!bytes)
            return 1;
        bytes[i - 1] = (unsigned char)i;
        sum += bytes[i - 1];
        free(bytes);
    }
    printf("%u\n", sum);
    return 0;
}
