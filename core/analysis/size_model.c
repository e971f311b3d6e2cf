#include "analysis/size_model.h"

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
static const struct loupe_size_model hotspot_compressed = {.name = "hotspot-compressed",
                                                           .header = 12,
                                                           .array_header = 16,
                                                           .wide_array_header = 16,
                                                           .reference = 4,
                                                           .alignment = 8,
                                                           .counts_classes = true};
/* Class pointers stay compressed in heaps that are too large for compressed references. */
static const struct loupe_size_model hotspot_64 = {.name = "hotspot-64",
                                                   .header = 12,
                                                   .array_header = 16,
                                                   .wide_array_header = 16,
                                                   .reference = 8,
                                                   .alignment = 8,
                                                   .counts_classes = true};

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
    return reference_size == 4 ? &hotspot_compressed : &hotspot_64;
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
