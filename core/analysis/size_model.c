#include "analysis/size_model.h"

#include <stddef.h>

static const struct loupe_size_model art = {.name = "art",
                                            .header = 8,
                                            .array_header = 12,
                                            .wide_array_header = 16,
                                            .reference = 4,
                                            .alignment = 8,
                                            .counts_classes = true,
                                            .trusts_class_sizes = true};

/* Mark word and class pointer; arrays have a length of 4 bytes, and their elements are aligned. */
static const struct loupe_size_model hotspot_32 = {.name = "hotspot-32",
                                                   .header = 8,
                                                   .array_header = 12,
                                                   .wide_array_header = 16,
                                                   .reference = 4,
                                                   .alignment = 8,
                                                   .counts_classes = true};
/*
 * With ids of 8 bytes, by what the sources of HotSpot say of instanceOopDesc and arrayOopDesc:
 *  - class pointers of 4 bytes, which is the rule: since JDK 15 also where references have 8
 *    (JDK-8241825); before it compressed references were needed, and up to JDK 7 were the same flag
 *  - class pointers of 8 bytes: the length of an array stands behind them, and its elements 8 bytes
 *    further; since JDK 23 4 bytes further, where they are no larger (JDK-8139457)
 *  - compact headers, since JDK 24 (JEP 450): the class pointer is in the mark word
 *  - up to JDK 14 the fields of a class begin where a reference could (JDK-8237767)
 */
const struct loupe_size_model loupe_size_models_of_hotspot[] = {
    {.name = "hotspot-64",
     .header = 12,
     .array_header = 16,
     .wide_array_header = 16,
     .reference = 8,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-compressed",
     .header = 12,
     .array_header = 16,
     .wide_array_header = 16,
     .reference = 4,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-wide-classes-64",
     .header = 16,
     .array_header = 24,
     .wide_array_header = 24,
     .reference = 8,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-wide-classes",
     .header = 16,
     .array_header = 24,
     .wide_array_header = 24,
     .reference = 4,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-compressed-14",
     .header = 12,
     .array_header = 16,
     .wide_array_header = 16,
     .reference = 4,
     .alignment = 8,
     .pads_levels = true,
     .counts_classes = true},
    {.name = "hotspot-wide-classes-64-14",
     .header = 16,
     .array_header = 24,
     .wide_array_header = 24,
     .reference = 8,
     .alignment = 8,
     .pads_levels = true,
     .counts_classes = true},
    {.name = "hotspot-wide-classes-14",
     .header = 16,
     .array_header = 24,
     .wide_array_header = 24,
     .reference = 4,
     .alignment = 8,
     .pads_levels = true,
     .counts_classes = true},
    {.name = "hotspot-wide-classes-64-23",
     .header = 16,
     .array_header = 20,
     .wide_array_header = 24,
     .reference = 8,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-wide-classes-23",
     .header = 16,
     .array_header = 20,
     .wide_array_header = 24,
     .reference = 4,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-compact-64",
     .header = 8,
     .array_header = 12,
     .wide_array_header = 16,
     .reference = 8,
     .alignment = 8,
     .counts_classes = true},
    {.name = "hotspot-compact",
     .header = 8,
     .array_header = 12,
     .wide_array_header = 16,
     .reference = 4,
     .alignment = 8,
     .counts_classes = true},
    {.name = NULL},
};

/* An id for the mark word, a reference for the class, and 4 bytes of length. */
static const struct loupe_size_model visualvm_32 = {.name = "visualvm-32",
                                                    .header = 8,
                                                    .array_header = 12,
                                                    .wide_array_header = 12,
                                                    .reference = 4,
                                                    .alignment = 8};
static const struct loupe_size_model visualvm_compressed = {.name = "visualvm-compressed",
                                                            .header = 12,
                                                            .array_header = 16,
                                                            .wide_array_header = 16,
                                                            .reference = 4,
                                                            .alignment = 8};
static const struct loupe_size_model visualvm_64 = {.name = "visualvm-64",
                                                    .header = 16,
                                                    .array_header = 20,
                                                    .wide_array_header = 20,
                                                    .reference = 8,
                                                    .alignment = 8};

const struct loupe_size_model *loupe_size_model_of(bool is_android, unsigned id_size,
                                                   unsigned reference_size) {
    if (is_android)
        return &art;
    if (id_size == 4)
        return &hotspot_32;
    return &loupe_size_models_of_hotspot[reference_size == 4 ? 1 : 0];
}

const struct loupe_size_model *loupe_size_model_of_visualvm(bool is_android, unsigned id_size,
                                                            unsigned reference_size) {
    if (id_size == 4 || is_android)
        return &visualvm_32;
    return reference_size == 4 ? &visualvm_compressed : &visualvm_64;
}

static uint64_t align(const struct loupe_size_model *model, uint64_t size) {
    return (size + model->alignment - 1) & ~(uint64_t)(model->alignment - 1);
}

uint64_t loupe_size_of_instance(const struct loupe_size_model *model, uint64_t references,
                                uint64_t other_bytes, uint64_t class_size) {
    if (model->trusts_class_sizes && class_size)
        return align(model, class_size);
    return align(model, model->header + references * model->reference + other_bytes);
}

uint64_t loupe_size_of_array(const struct loupe_size_model *model, unsigned element_size,
                             uint64_t length) {
    unsigned size = element_size ? element_size : model->reference;
    return align(model,
                 (size == 8 ? model->wide_array_header : model->array_header) + length * size);
}

uint64_t loupe_size_of_class(const struct loupe_size_model *model, uint64_t references,
                             uint64_t other_bytes) {
    if (!model->counts_classes)
        return 0;
    return align(model, references * model->reference + other_bytes);
}
