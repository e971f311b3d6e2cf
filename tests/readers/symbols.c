/* What show_image.c looks at: each variable holds a number that no other has. */
#if defined(__APPLE__)
#define IN_SECTION(name) __attribute__((used, section("__DATA," name)))
#else
#define IN_SECTION(name) __attribute__((used, section(name)))
#endif

unsigned exported_variable = 0x10000001;
IN_SECTION("named") unsigned variable_in_a_section = 0x10000002;
__attribute__((used)) static unsigned local_variable = 0x10000003;
__attribute__((used)) static unsigned zeroed_variable;
const unsigned exported_constant = 0x10000004;
extern unsigned imported_variable;
#if !defined(__APPLE__)
__attribute__((used)) static _Thread_local unsigned variable_of_each_thread = 0x10000005;
#endif

unsigned exported_function(void) {
    return imported_variable;
}

__attribute__((used)) static unsigned local_function(void) {
    return local_variable + zeroed_variable;
}
