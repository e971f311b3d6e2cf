/* Names of C++ types: what c++filt of binutils says of the same ones, but for the space that it
 * leaves out between two > behind an empty pack. */
#include "check.h"
#include "cxx/control_block.h"
#include "cxx/type_name.h"

#include <string.h>

static const char *name(const char *mangled) {
    static char text[1024];
    loupe_cxx_type_name(loupe_span_of(mangled), text, sizeof(text));
    return text;
}

static void test_scopes(void) {
    CHECK_STR(name("7Session"), "Session");
    CHECK_STR(name("N3app3net7SessionE"), "app::net::Session");
    CHECK_STR(name("N12_GLOBAL__N_14AnonE"), "(anonymous namespace)::Anon");
    CHECK_STR(name("St9exception"), "std::exception");
    CHECK_STR(name("NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
              "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >");
    CHECK_STR(name("N3FooB5cxx113BarE"), "Foo[abi:cxx11]::Bar");
}

static void test_templates(void) {
    CHECK_STR(name("St6vectorIiSaIiEE"), "std::vector<int, std::allocator<int> >");
    CHECK_STR(name("St6vectorIS_IiSaIiEESaIS1_EE"),
              "std::vector<std::vector<int, std::allocator<int> >, "
              "std::allocator<std::vector<int, std::allocator<int> > > >");
    CHECK_STR(name("1XIJidEE"), "X<int, double>");
    CHECK_STR(name("1XIJEE"), "X<>");
    CHECK_STR(name("3ArrILi3ELb1ELc65ELj7ELm9ELx5ELn3EE"),
              "Arr<3, true, (char)65, 7u, 9ul, 5ll, (__int128)3>");
    CHECK_STR(name("1XILin5EE"), "X<-5>");
    CHECK_STR(name("1XIL5Color1EE"), "X<(Color)1>");
    CHECK_STR(name("1AIXadL_ZN1B1fEvEEE"), "A<&B::f>");
}

static void test_compound_types(void) {
    CHECK_STR(name("KSt4pairIKiPKcE"), "std::pair<int const, char const*> const");
    CHECK_STR(name("FviE"), "void (int)");
    CHECK_STR(name("PFPFvvEiE"), "void (*(*)(int))()");
    CHECK_STR(name("RA3_A4_i"), "int (&) [3][4]");
    CHECK_STR(name("M3FooKFviE"), "void (Foo::*)(int) const");
    CHECK_STR(name("M3Fooi"), "int Foo::*");
    CHECK_STR(name("PKDn"), "decltype(nullptr) const*");
}

static void test_what_functions_have(void) {
    CHECK_STR(name("ZN7Session5startEvEUliE_"), "Session::start()::{lambda(int)#1}");
    CHECK_STR(name("Z4mainEUlvE0_"), "main::{lambda()#2}");
    CHECK_STR(name("ZZ4mainENKUlvE_clEvE3Foo"), "main::{lambda()#1}::operator()() const::Foo");
    CHECK_STR(name("Z1fvENUt_E"), "f()::{unnamed type#1}");
    CHECK_STR(name("ZN1AC1EvE1B"), "A::A()::B");
    CHECK_STR(name("Z3barIlEvT_EUlT_E_"), "bar<long>(long)::{lambda(auto:1)#1}");
    CHECK_STR(name("ZN1A1fEiEd_UliE_"), "A::f(int)::{default arg#1}::{lambda(int)#1}");
    CHECK_STR(name("NSt3__110__function6__funcIZN7Session5startEvEUlvE_NS_9allocatorIS3_EEFvvEEE"),
              "std::__1::__function::__func<Session::start()::{lambda()#1}, "
              "std::__1::allocator<Session::start()::{lambda()#1}>, void ()>");
}

static void test_what_shared_ptrs_share(void) {
    static const struct {
        const char *mangled, *name;
    } cases[] = {
        {"St23_Sp_counted_ptr_inplaceI5ChildSaIvELN9__gnu_cxx12_Lock_policyE2EE",
         "Child (make_shared)"},
        {"St23_Sp_counted_ptr_inplaceIK5ChildSaIS0_ELN9__gnu_cxx12_Lock_policyE2EE",
         "Child (make_shared)"},
        {"St15_Sp_counted_ptrIP5ChildLN9__gnu_cxx12_Lock_policyE2EE", "control block of Child"},
        {"St19_Sp_counted_deleterIP5ChildZ4mainEUlS1_E_SaIvELN9__gnu_cxx12_Lock_policyE2EE",
         "control block of Child"},
        {"NSt3__120__shared_ptr_emplaceI5ChildNS_9allocatorIS1_EEEE", "Child (make_shared)"},
        {"NSt3__120__shared_ptr_pointerIP5ChildNS_14default_deleteIS1_EENS_9allocatorIS1_EEEE",
         "control block of Child"},
        {"N5boost6detail17sp_counted_impl_pI5ChildEE", "control block of Child"},
        {"N3app15_Sp_counted_ptrIP5ChildEE", "app::_Sp_counted_ptr<Child*>"},
        {"5Child", "Child"},
        {"5", "5"},
    };
    char text[128];
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        loupe_cxx_class_name(cases[i].mangled, text, sizeof(text));
        CHECK_STR(text, cases[i].name);
    }
}

static void test_how_control_blocks_count(void) {
    static const struct {
        const char *mangled;
        bool holds_object, counts_one_less;
    } cases[] = {
        {"St23_Sp_counted_ptr_inplaceIK5ChildSaIS0_ELN9__gnu_cxx12_Lock_policyE2EE", true, false},
        {"St19_Sp_counted_deleterIP5ChildZ4mainEUlS1_E_SaIvELN9__gnu_cxx12_Lock_policyE2EE", false,
         false},
        {"NSt3__120__shared_ptr_emplaceI5ChildNS_9allocatorIS1_EEEE", true, true},
        {"NSt3__120__shared_ptr_pointerIP5ChildNS_14default_deleteIS1_EENS_9allocatorIS1_EEEE",
         false, true},
        {"N5boost6detail17sp_counted_impl_pI5ChildEE", false, false},
    };
    struct loupe_control_layout layout;
    char text[128];
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK(loupe_cxx_control_layout(cases[i].mangled, &layout, text, sizeof(text)));
        CHECK_EQ(layout.holds_object, cases[i].holds_object);
        CHECK_EQ(layout.counts_one_less, cases[i].counts_one_less);
        CHECK_STR(text, "Child");
    }
    CHECK(!loupe_cxx_control_layout("5Child", &layout, text, sizeof(text)));
    CHECK(!loupe_cxx_control_layout("N3app15_Sp_counted_ptrIP5ChildEE", &layout, text, 128));
}

static void test_what_is_not_understood_stays(void) {
    static const char *const others[] = {
        "",           "S_",   "T_",  "N3FooE3", "9Foo",        "N3Foo",          "0",
        "3Foo4Bar",   "I1AE", "ZZZ", "DTtlE",   "St6vectorIi", "99999999999Foo", "1AIXplLi1ELi2EEE",
        "U8__vectori"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK_STR(name(others[i]), others[i]);
}

/* A name that says itself twice with each level would be written for ever. */
static void test_names_that_grow_end(void) {
    char mangled[LOUPE_MAX_TYPE_NAME + 1] = "1AI1BS0_E", text[512];
    size_t length = strlen(mangled);
    char deep[LOUPE_MAX_TYPE_NAME + 1];
    for (char digit = '1'; digit <= '9'; digit++) {
        char more[64];
        loupe_format(more, sizeof(more), "I1AIS%c_S%c_E", digit, digit);
        memmove(mangled + 2, mangled, length + 1);
        memcpy(mangled, "1C", 2);
        length += 2;
        memcpy(mangled + length, more, strlen(more) + 1);
        length += strlen(more);
        loupe_cxx_type_name(loupe_span_of(mangled), text, sizeof(text));
        CHECK(strlen(text) < sizeof(text));
    }
    memset(deep, 'P', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    CHECK(!loupe_cxx_type_name(loupe_span_of(deep), text, sizeof(text)));
    memcpy(deep + 40, "i", 2);
    CHECK(loupe_cxx_type_name(loupe_span_of(deep), text, sizeof(text)));
}

static void test_room_may_be_too_little(void) {
    char text[8];
    CHECK(!loupe_cxx_type_name(loupe_span_of("St6vectorIiSaIiEE"), text, sizeof(text)));
    CHECK_STR(text, "St6vect");
    CHECK(loupe_cxx_type_name(loupe_span_of("7Session"), text, sizeof(text)));
    CHECK(!loupe_cxx_type_name(loupe_span_of("7Session"), text, 7));
    CHECK_STR(text, "7Sessi");
}

int main(void) {
    RUN(test_scopes);
    RUN(test_templates);
    RUN(test_compound_types);
    RUN(test_what_functions_have);
    RUN(test_what_shared_ptrs_share);
    RUN(test_how_control_blocks_count);
    RUN(test_what_is_not_understood_stays);
    RUN(test_names_that_grow_end);
    RUN(test_room_may_be_too_little);
    return check_report();
}
