/* Inserted into box_loading: takes the place of a function of libSystem in the other images. */
int atoi(const char *text);

static int other_atoi(const char *text) {
    return atoi(text) + 1000; /* here it is the true one */
}

__attribute__((used, section("__DATA,__interpose"))) static const struct {
    const void *replacement, *replaced;
} interposed[] = {{(const void *)other_atoi, (const void *)atoi}};
