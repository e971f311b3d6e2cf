/* Types and prototypes as a person writes them. */
#include "check.h"
#include "types/type_text.h"

#include <string.h>

static const char *prototype(const char *signature) {
    static char text[128];
    size_t length = loupe_prototype_text(loupe_span_of(signature), text, sizeof(text));
    CHECK(length == 0 || length == strlen(text));
    return length ? text : "";
}

static const char *type(const char *encoding) {
    static char text[128];
    loupe_type_text(loupe_span_of(encoding), text, sizeof(text));
    return text;
}

static void test_prototypes_of_blocks(void) {
    CHECK_STR(prototype("v8@?0"), "void (^)(void)");
    CHECK_STR(prototype("v16@?0@8"), "void (^)(id)");
    CHECK_STR(prototype("v24@?0@\"NSString\"8i16"), "void (^)(NSString *, int)");
    CHECK_STR(prototype("@\"NSArray\"16@?0@\"<NSCopying>\"8"), "NSArray * (^)(id<NSCopying>)");
    CHECK_STR(prototype("c32@?0r*8^v16^{CGRect=dd}24"),
              "char (^)(const char *, void *, struct CGRect *)");
    CHECK_STR(prototype("v16@?0@?8"), "void (^)(void (^))");
    CHECK_STR(prototype("v16@?0@?<v@?@\"NSError\">8"), "void (^)(void (^))");
    CHECK_STR(prototype("v16@?<v@?>0@8"), "void (^)(id)");
    CHECK_STR(prototype("v24@?0{CGPoint=dd}8"), "void (^)(struct CGPoint)");
    CHECK_STR(prototype("v16@?0^[4i]8"), "void (^)(int[4] *)");
    CHECK_STR(prototype("q16@?0#8"), "long long (^)(Class)");
    CHECK_STR(prototype("v12@?0{?=i}8"), "void (^)(struct {…})");
    CHECK_STR(prototype("v16@?+0i-8"), "void (^)(int)");
}

static void test_what_is_no_signature_of_a_block_is_no_prototype(void) {
    static const char *const others[] = {"",        "v",        "v16@0:8", "v8@?0{",
                                         "v8@?0\"", "\x01",     "v8@?0^",  "v8@",
                                         "8@?0",    "[[[[[[[[", "v8@?<0",  "v16@?0$8"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK_STR(prototype(others[i]), "");
}

static void test_one_that_has_no_room_is_none(void) {
    char text[20];
    CHECK(loupe_prototype_text(loupe_span_of("v16@?0i8"), text, sizeof(text)) ==
          strlen("void (^)(int)"));
    CHECK(loupe_prototype_text(loupe_span_of("v16@?0i8i16i24"), text, sizeof(text)) == 0);
    CHECK(loupe_prototype_text(loupe_span_of("v8@?0"), text, 1) == 0);
}

static void test_types(void) {
    CHECK_STR(type("@?"), "block");
    CHECK_STR(type("@\"View\""), "View *");
    CHECK_STR(type("[3@\"Node\"]"), "Node *[3]");
    CHECK_STR(type("[4[5i]]"), "int[4][5]");
    CHECK_STR(type("nri"), "in const int");
    CHECK_STR(type("{Point=\"x\"i"), "{Point=\"x\"i");
    CHECK_STR(type("ii"), "ii");
    CHECK_STR(type(""), "");
}

int main(void) {
    RUN(test_prototypes_of_blocks);
    RUN(test_what_is_no_signature_of_a_block_is_no_prototype);
    RUN(test_one_that_has_no_room_is_none);
    RUN(test_types);
    return check_report();
}
