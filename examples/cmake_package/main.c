/* Asks the helper inside of this program about an address where no object is. */
#include <loupe_helper.h>

#include <stdio.h>
#include <string.h>

int main(void) {
    const char *answer = loupe_retain_cycles(NULL);
    printf("helper %u says: %s\n", loupe_helper_version(), answer);
    return strstr(answer, "\"status\":\"error\"") ? 0 : 1;
}
