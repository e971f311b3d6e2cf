/*
 * FBBlockRecognizingTests, FBBlockStrongLayoutTests, FBObjectiveCBlockTests,
 * FBClassStrongLayoutTests and FBStructEncodingTests of FBRetainCycleDetector: 39 cases.
 */
#include "parity.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 32, WORD = 8, DESCRIPTOR_AT = 24, LAYOUT_AT = 40, COPY_HELPER = 0x500 };

/* ---- Blocks ---- */

#define FOUR_ZEROS    (loupe_addr)0, (loupe_addr)0, (loupe_addr)0, (loupe_addr)0
#define SIXTEEN_ZEROS FOUR_ZEROS, FOUR_ZEROS, FOUR_ZEROS, FOUR_ZEROS

static loupe_addr global_block(void) {
    return drawn_block_flagged(&w, 0x50000000, "");
}

static loupe_addr heap_block(void) {
    return drawn_block_of(&w, "s", node());
}

static loupe_addr stack_block(void) {
    return drawn_block_flagged(&w, 0xc2000000, "s", node());
}

/* A block with up to 32 captures, each of an object of its own. */
static loupe_addr block_of(const char *captures) {
    loupe_addr block = drawn_block_of(&w, captures, SIXTEEN_ZEROS, SIXTEEN_ZEROS);
    for (unsigned i = 0; captures[i]; i++) {
        loupe_addr value = captures[i] == 'b'   ? global_block()
                           : captures[i] == 'r' ? drawn_byref_of(&w, 3, node())
                                                : node();
        drawn_put_word(&heap, block + HEADER + i * WORD, value);
    }
    return block;
}

static void set_layout(loupe_addr block, uint64_t layout) {
    loupe_addr descriptor;
    drawn_get(&heap, block + DESCRIPTOR_AT, &descriptor, WORD);
    drawn_put_word(&heap, descriptor + LAYOUT_AT, layout);
}

static loupe_addr weak_capture(void) {
    return block_of("w");
}

static loupe_addr strong_capture(void) {
    return block_of("s");
}

/* A C++ object of three words. Only the name of the copy helper tells its type. */
static loupe_addr cxx_capture(const char *type_name) {
    static char symbol[256]; /* the heap keeps a pointer to it */
    loupe_addr block = drawn_block_flagged(&w, 0xc7000002, "ddd", node(), node(), node());
    snprintf(symbol, sizeof(symbol), "__copy_helper_block_ea8_32c%zu_%s", strlen(type_name),
             type_name);
    drawn_symbol_add(&heap, symbol, COPY_HELPER);
    return block;
}

static loupe_addr vector_of_objects(void) {
    return cxx_capture("_ZTSNSt3__16vectorIU8__strongP11objc_objectNS_9allocatorIS3_EEEE");
}

static loupe_addr vector_of_structs(void) {
    return cxx_capture("_ZTSNSt3__16vectorI12HelperStructNS_9allocatorIS1_EEEE");
}

static loupe_addr unordered_map(void) {
    return cxx_capture("_ZTSNSt3__113unordered_mapIi12HelperStructEE");
}

static loupe_addr eight_and_seven(void) {
    loupe_addr block = block_of("ssssssssrrrrrrr");
    set_layout(block, 0x870);
    return block;
}

static loupe_addr eight_and_eight(void) {
    loupe_addr block = block_of("ssssssssrrrrrrrr");
    set_layout(block, 0x880);
    return block;
}

static loupe_addr sixteen_and_twelve(void) {
    loupe_addr block = block_of("ssssssssssssssssrrrrrrrrrrrr");
    set_layout(block, drawn_string(&heap, "\x3f\x4b"));
    return block;
}

static loupe_addr sixteen_structs(void) {
    return block_of("sdsdsdsdsdsdsdsdsdsdsdsdsdsdsdsd");
}

static loupe_addr object_and_variable(void) {
    return block_of("sr");
}

static loupe_addr captured_block(void) {
    return block_of("b");
}

static loupe_addr objects_and_variable(void) {
    return block_of("sssr");
}

static loupe_addr objects_blocks_and_variable(void) {
    return block_of("sssbbbr");
}

/* ---- Classes: every word of the instance holds an object ---- */

static loupe_addr filled(const char *ivars) {
    loupe_addr object = holder(ivars);
    unsigned size = drawn_class_named(&w, "Holder")->instance_size;
    for (unsigned at = WORD; at + WORD <= size; at += WORD)
        drawn_put_word(&heap, object + at, node());
    return object;
}

static loupe_addr empty_class(void) {
    return filled("");
}

static loupe_addr weak_ivar(void) {
    return filled("weak _object @");
}

static loupe_addr strong_ivar(void) {
    return filled("strong _object @");
}

#define MIXED_IVARS                                                                                \
    "strong _object1 @; strong _object2 @; strong _object3 @; weak _object4 @;"                    \
    "strong _object5 @; weak _object6 @"

static loupe_addr strong_and_weak_ivars(void) {
    return filled(MIXED_IVARS);
}

static loupe_addr subclass_of_empty(void) {
    drawn_class(&w, "Empty", "NSObject", "");
    drawn_class(&w, "Derived", "Empty", "strong _object1 @; weak _object2 @");
    loupe_addr object = drawn_object(&w, "Derived");
    drawn_set(&w, object, "_object1", node());
    drawn_set(&w, object, "_object2", node());
    return object;
}

static loupe_addr subclass_of_four(void) {
    static const char *const names[] = {"_object1", "_object2", "_object3", "_object4",
                                        "_object5", "_object6", "_object7"};
    drawn_class(&w, "Base", "NSObject", MIXED_IVARS);
    drawn_class(&w, "Derived", "Base", "weak _object7 @");
    loupe_addr object = drawn_object(&w, "Derived");
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        drawn_set(&w, object, names[i], node());
    return object;
}

static loupe_addr struct_of_numbers(void) {
    return filled("none _st {P=\"someInt\"i\"someCharacter\"c\"someUnsignedLongLong\"Q}");
}

static loupe_addr struct_of_two_objects(void) {
    return filled("s.s _st {O=\"retainedObject\"@\"number\"i\"anotherRetainedObject\"@}");
}

static loupe_addr struct_of_a_weak_object(void) {
    return filled("w _st {W=\"object\"@}");
}

static loupe_addr complicated_struct(void) {
    return filled(
        ".s.s..w..ss.s _st {C=\"a\"i\"someStruct\"{O=\"p\"@\"n\"i\"q\"@}\"b\"c\"c\"i\"d\"i"
        "\"object\"@\"e\"^f\"f\"^v\"g\"@\"someStruct2\"{O=\"p\"@\"n\"i\"q\"@}}");
}

static loupe_addr bit_fields(void) {
    return filled(
        "strong _object1 @; none _someStruct {B=\"somebit1\"b1\"somebit2\"b1\"somebit3\"b1"
        "\"somebit4\"b1\"somebit5\"b6}; strong _object2 @");
}

static loupe_addr enum_ivar(void) {
    return filled("none rectEdge Q");
}

static loupe_addr shared_pointer(void) {
    return filled("none _sharedPointer {shared_ptr<O>=\"__ptr_\"^{O}"
                  "\"__cntrl_\"^{__shared_weak_count}}");
}

static loupe_addr atomic_and_object(void) {
    return filled("none _someAtomicValue {atomic<bool>=\"__a_\"{__cxx_atomic_impl<bool>="
                  "\"__a_value\"AB}}; strong _object @");
}

/* ---- Encodings of structs ---- */

#define MIXIN "{M=\"someInt\"i\"someObject\"@\"someFloatPointer\"^f\"someWeakObject\"@}"

static loupe_addr parsed_number(void) {
    return holder("none _st {P=\"testPrimitive\"i}");
}

static loupe_addr parsed_object(void) {
    return holder("s _st {O=\"object\"@\"NSObject\"}");
}

static loupe_addr parsed_mix(void) {
    return holder(".s.w _st " MIXIN);
}

static loupe_addr parsed_nested(void) {
    return holder("..s.w _st {N=\"someInt\"i\"mixingStruct\"" MIXIN "}");
}

static loupe_addr parsed_bit_field(void) {
    return holder("none _st {B=\"\"b4}");
}

static loupe_addr parsed_unnamed(void) {
    return holder("none _st {U=\"\"{?=\"value\"B}}");
}

static const char cxx_is_counted[] = "Loupe counts it as a C++ member that may own objects";
static const char with_variable[] = "with the storage of the __block variable";

#define R PARITY_REFERENCES
#define M PARITY_MEMBERS
static const struct parity_case cases[] = {
    {"testThatGlobalBlockWillBeRecognizedAsBlock", PARITY_DRAWN(global_block), NULL, NULL,
     PARITY_BLOCKS, 1, 1},
    {"testThatHeapBlockWillBeRecognizedAsBlock", PARITY_DRAWN(heap_block), NULL, NULL,
     PARITY_BLOCKS, 1, 1},
    {"testThatStackBlockWillBeRecognizedAsBlock", PARITY_DRAWN(stack_block), NULL, NULL,
     PARITY_BLOCKS, 1, 1},

    {"testBlockDoesntRetainWeakReference", PARITY_DRAWN(weak_capture), NULL, NULL, R, 0, 0},
    {"testBlockRetainsStrongReference", PARITY_DRAWN(strong_capture), NULL, NULL, R, 1, 1},
    {"testThatBlockRetainingVectorOfObjectsDoNotCrash", PARITY_DRAWN(vector_of_objects), NULL,
     cxx_is_counted, R, 0, 0},
    {"testThatBlockRetainingVectorOfStructsDoNotCrash", PARITY_DRAWN(vector_of_structs), NULL, NULL,
     R, 0, 0},
    {"testThatBlockUsingCppButRetainingOnlyObjectsWillReturnTheObjectAndNotCrash",
     PARITY_DRAWN(strong_capture), NULL, NULL, R, 1, 1},
    {"testThatBlockRetainingMapWillNotCrash", PARITY_DRAWN(unordered_map), NULL, NULL, R, 0, 0},
    {"testBlockRetains15StrongReferences", PARITY_DRAWN(eight_and_seven), NULL, NULL, R, 15, 15},
    {"testBlockRetainsMoreThan15StrongReferences", PARITY_DRAWN(eight_and_eight), NULL, NULL, R, 16,
     16},
    {"testBlockRetainsMoreThan15StrongReferencesInterspersedWithBlockReferences",
     PARITY_DRAWN(sixteen_and_twelve), NULL, NULL, R, 28, 28},
    {"testBlockRetainsObjectsStoredInsideStructs", PARITY_DRAWN(sixteen_structs), NULL, NULL, R, 16,
     16},

    {"testLayoutForBlockRetainingObjectWillFetchTheObject", PARITY_DRAWN(object_and_variable), NULL,
     with_variable, R, 1, 2},
    {"testLayoutForBlockRetainingOtherBlockWillFetchTheBlock", PARITY_DRAWN(captured_block), NULL,
     NULL, R, 1, 1},
    {"testLayoutForBlockRetainingFewObjectsWillFetchAllOfThem", PARITY_DRAWN(objects_and_variable),
     NULL, with_variable, R, 3, 4},
    {"testLayoutForBlockKeepingObjectBlockMixin", PARITY_DRAWN(objects_blocks_and_variable), NULL,
     with_variable, R, 6, 7},
    {"testLayoutForEmptyBlockWillBeEmpty", PARITY_DRAWN(global_block), NULL, NULL, R, 0, 0},

    {"testLayoutForEmptyClassWillBeEmpty", PARITY_DRAWN(empty_class), NULL, NULL, R, 0, 0},
    {"testLayoutForClassWithWeakPropertyWillBeEmpty", PARITY_DRAWN(weak_ivar), NULL, NULL, R, 0, 0},
    {"testLayoutForClassWithStrongPropertyWillHaveOneReference", PARITY_DRAWN(strong_ivar), NULL,
     NULL, R, 1, 1},
    {"testLayoutForClassWithMixedStrongAndWeakWillFetchOnlyStrong",
     PARITY_DRAWN(strong_and_weak_ivars), NULL, NULL, R, 4, 4},
    {"testLayoutForClassSubclassingEmptyClassWillFetchPropertiesProperly",
     PARITY_DRAWN(subclass_of_empty), NULL, NULL, R, 1, 1},
    {"testLayoutForClassSubclassingClassWithStrongPropertiesWillFetchParentsClassProperties",
     PARITY_DRAWN(subclass_of_four), NULL, NULL, R, 4, 4},
    {"testLayoutForClassWithStructAsIvarWillNotCrash", PARITY_DRAWN(struct_of_numbers), NULL, NULL,
     R, 0, 0},
    {"testLayoutForClassWithStructContainingObjectsWillFetchThoseObjects",
     PARITY_DRAWN(struct_of_two_objects), NULL, NULL, R, 2, 2},
    {"testLayoutForClassWithStructContainingWeakObjectWillBeEmpty",
     PARITY_DRAWN(struct_of_a_weak_object), NULL, NULL, R, 0, 0},
    {"testLayoutForClassWithComplicatedStructWillWorkProperly", PARITY_DRAWN(complicated_struct),
     NULL, NULL, R, 5, 5},
    {"testLayoutForClassWithBitfieldsWillNotCrash", PARITY_DRAWN(bit_fields), NULL, NULL, R, 2, 2},
    {"testLayoutForClassWithEnumValueWillNotCrash", PARITY_DRAWN(enum_ivar), NULL, NULL, R, 0, 0},
    {"testLayoutForClassWithSharedPointerWillNotCrash", PARITY_DRAWN(shared_pointer), NULL, NULL, R,
     0, 0},
    {"testLayoutForClassWithCppStructAndStrongPropertyWillNotCrashAndFetchStrongProperty",
     PARITY_DRAWN(atomic_and_object), NULL, NULL, R, 1, 1},

    {"testThatParserWillParseStructWithPrimitive", PARITY_DRAWN(parsed_number), NULL, NULL, M, 1,
     1},
    {"testThatParserWillParseStructWithObject", PARITY_DRAWN(parsed_object), NULL, NULL, M, 1, 1},
    {"testThatParserWillParseStructWithObjectsAndPrimitives", PARITY_DRAWN(parsed_mix), NULL, NULL,
     M, 4, 4},
    {"testThatParserWillParseStructWithNestedStruct", PARITY_DRAWN(parsed_nested), NULL,
     "one outside, four inside", M, 5, 5},
    {"testThatParserWillParseStructWithUnnamedBitfield", PARITY_DRAWN(parsed_bit_field), NULL, NULL,
     M, 1, 1},
    {"testThatParserWillParseStructAndPassTypePath", PARITY_DRAWN(parsed_nested), NULL,
     "Loupe's path is that of the source: _st.mixingStruct.someObject", M, 5, 5},
    {"testThatParserWillParseStructWithUnnamedStruct", PARITY_DRAWN(parsed_unnamed), NULL, NULL, M,
     1, 1},
};
const struct parity_suite parity_layouts =
    PARITY_SUITE("Layouts of blocks and classes, encodings of structs", cases);
