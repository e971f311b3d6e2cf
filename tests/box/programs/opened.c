/* A library that box_loading opens while it runs. */
static int number = 5;
int *opened_pointer = &number;
int opened_starts;

__attribute__((constructor)) static void start(void) {
    opened_starts++;
}

int opened_number(void) {
    return *opened_pointer;
}
