/* Methods as a person writes them, from symbols of GNU runtimes. */
#include "check.h"
#include "types/method_symbol.h"

static const char *method(const char *symbol) {
    static char text[64];
    loupe_method_of_symbol(symbol, text, sizeof(text));
    return text;
}

static void test_methods_are_written_as_in_the_source(void) {
    CHECK_STR(method("_i_Downloader__start"), "-[Downloader start]");
    CHECK_STR(method("_c_Downloader__shared"), "+[Downloader shared]");
    CHECK_STR(method("_i_Downloader__setURL_timeout_"), "-[Downloader setURL:timeout:]");
    CHECK_STR(method("_i_Cell___private_name"), "-[Cell _private_name]");
    CHECK_STR(method("_i_Cell___set_"), "-[Cell _set:]");
}

static void test_other_symbols_stay(void) {
    static const char *const others[] = {"main",         "",
                                         "_i_",          "_i_Cell",
                                         "_i_Cell__",    "_i_Cell_Extras_load",
                                         "_i___load",    "_i_Cell__load.cold",
                                         "-[Cell load]", "_c"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK_STR(method(others[i]), others[i]);
}

static void test_long_ones_are_cut(void) {
    char text[8];
    loupe_method_of_symbol("_i_Downloader__start", text, sizeof(text));
    CHECK_STR(text, "-[Downl");
    loupe_method_of_symbol("a_function", text, 1);
    CHECK_STR(text, "");
}

static const char *around(const char *symbol) {
    static char text[64];
    bool is_of_block = loupe_function_around_block(symbol, text, sizeof(text));
    CHECK_EQ(is_of_block, text[0] != '\0');
    return text;
}

static void test_blocks_are_of_the_function_around_them(void) {
    CHECK_STR(around("__main_block_invoke"), "main");
    CHECK_STR(around("__main_block_invoke_2"), "main");
    CHECK_STR(around("__12-[Cell load]_block_invoke"), "-[Cell load]");
    CHECK_STR(around("__13+[Cell cells]_block_invoke.34"), "+[Cell cells]");
    CHECK_STR(around("__16_i_Loader__start_block_invoke"), "-[Loader start]");
    CHECK_STR(around("__16_i_Loader__start_block_invoke_2"), "-[Loader start]");
    CHECK_STR(around("__20_c_Loader__load_from__block_invoke"), "+[Loader load:from:]");
    CHECK_STR(around("__2d_shape_block_invoke"), "2d_shape");
    CHECK_STR(around("main"), "");
    CHECK_STR(around("_block_invoke"), "");
    CHECK_STR(around("__block_invoke"), "");
    CHECK_STR(around("x_block_invoke"), "");
}

int main(void) {
    RUN(test_methods_are_written_as_in_the_source);
    RUN(test_other_symbols_stay);
    RUN(test_long_ones_are_cut);
    RUN(test_blocks_are_of_the_function_around_them);
    return check_report();
}
