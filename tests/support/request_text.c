#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "request_text.h"

#include <stdio.h>
#include <string.h>

static void put_name(FILE *out, const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_.:$[]>()-";
    for (; *text; text++) {
        if (strchr(plain, *text))
            fputc(*text, out);
        else
            fprintf(out, "%%%02X", (unsigned)(uint8_t)*text);
    }
}

static void put_pattern(FILE *out, const char *text) {
    fputc(' ', out);
    if (text)
        put_name(out, text);
    else
        fputc('*', out);
}

static void put_address(FILE *out, loupe_addr address) {
    fprintf(out, " 0x%llx", (unsigned long long)address);
}

static void put_range(FILE *out, struct loupe_range range) {
    put_address(out, range.start);
    put_address(out, range.end);
}

static void put_ranges(FILE *out, const char *word, const struct loupe_range *ranges,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, ";%s", word);
        put_range(out, ranges[i]);
    }
}

static void put_filter(FILE *out, const struct loupe_filter *filter) {
    fputs(";filter", out);
    put_pattern(out, filter->source);
    put_pattern(out, filter->path);
    put_pattern(out, filter->target);
    fputc(' ', out);
    put_name(out, filter->reason);
}

static void put_root(FILE *out, const struct loupe_named_root *root) {
    fprintf(out, ";%s %s", root->is_memory ? "scan" : "root", loupe_root_kind_name(root->kind));
    put_address(out, root->range.start);
    if (root->is_memory)
        put_address(out, root->range.end);
}

static void put_register(FILE *out, const struct loupe_known_register *known) {
    fputs(";register", out);
    put_address(out, known->thread);
    fputc(' ', out);
    put_name(out, known->name);
    put_address(out, known->value);
}

static void put_fact(FILE *out, const struct loupe_fact *fact) {
    fputs(";ref", out);
    put_address(out, fact->source);
    fprintf(out, " %s %s %s ", loupe_edge_kind_name((enum loupe_edge_kind)fact->kind),
            loupe_fact_ownership_name((enum loupe_fact_ownership)fact->ownership), fact->evidence);
    if (fact->has_offset)
        fprintf(out, "+0x%x", fact->offset);
    else if (fact->slot)
        fprintf(out, "0x%llx", (unsigned long long)fact->slot);
    else
        fputc('-', out);
    put_address(out, fact->word);
    fputc(' ', out);
    put_name(out, fact->path);
}

static void put_all(FILE *out, const struct loupe_request *request) {
    for (uint32_t i = 0; i < request->filter_count; i++)
        put_filter(out, &request->filters[i]);
    if (request->without_standard_filters)
        fputs(";no-filters", out);
    if (request->explains)
        fputs(";explain", out);
    if (request->surveys)
        fputs(";survey", out);
    if (request->has_stack_pointer) {
        fputs(";stack-pointer", out);
        put_address(out, request->stack_pointer);
    }
    for (uint32_t i = 0; i < request->root_count; i++)
        put_root(out, &request->roots[i]);
    for (uint32_t i = 0; i < request->register_count; i++)
        put_register(out, &request->registers[i]);
    put_ranges(out, "debugger", request->debuggers, request->debugger_count);
    for (uint32_t i = 0; i < request->fact_count; i++)
        put_fact(out, &request->facts[i]);
    for (uint32_t i = 0; i < request->read_count; i++) {
        fputs(";read", out);
        put_address(out, request->read[i]);
    }
    if (request->listed)
        fprintf(out, ";list %u", request->listed);
    for (uint32_t i = 0; i < request->code_count; i++) {
        fputs(";code", out);
        put_address(out, request->code[i]);
    }
    if (request->class_name) {
        fputs(";class ", out);
        put_name(out, request->class_name);
    }
    if (request->selector) {
        fputs(";selector ", out);
        put_name(out, request->selector);
    }
}

char *request_text(const struct loupe_request *request) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    put_all(out, request);
    fclose(out);
    if (size)
        memmove(text, text + 1, size); /* without the first ';' */
    return text;
}
