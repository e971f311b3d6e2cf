/*
 * Any bytes as the arguments that a host hands over, and as the encoding of a C++ type. What is
 * taken comes back when it is written and read again; each fact is found by its source; and
 * nothing is read beyond the text.
 */
#include "fuzz_target.h"

#include "base/target/target.h"
#include "edges/facts.h"
#include "request_text.h"
#include "types/cxx_name.h"

#include <stdlib.h>
#include <string.h>

static void check_found(const struct loupe_facts *facts, uint32_t number) {
    const struct loupe_fact *fact = &loupe_facts_at(facts, number)->fact;
    uint32_t at = loupe_facts_first(facts, fact->source), steps = 0;
    while (at != LOUPE_NO_FACT && at != number) {
        FUZZ_CHECK(steps++ <= facts->references.count);
        uint32_t next = loupe_facts_at(facts, at)->next;
        FUZZ_CHECK(next == LOUPE_NO_FACT || next > at);
        at = next;
    }
    FUZZ_CHECK(at == number);
    FUZZ_CHECK(fact->kind < LOUPE_EDGE_KIND_COUNT);
    FUZZ_CHECK(fact->ownership < LOUPE_FACT_OWNERSHIP_COUNT);
    FUZZ_CHECK(strlen(fact->path) > 0);
}

static void check_facts(const struct loupe_request *request, struct loupe_target *target) {
    struct loupe_facts facts;
    loupe_facts_init(&facts, &target->arena_chunks);
    FUZZ_CHECK(loupe_facts_add(&facts, request) == LOUPE_OK);
    FUZZ_CHECK(facts.references.count == request->fact_count);
    for (uint32_t i = 0; i < request->fact_count; i++)
        check_found(&facts, i);
    for (uint32_t i = 0; i < request->read_count; i++)
        FUZZ_CHECK(loupe_facts_have_read(&facts, request->read[i]));
}

static void check_round_trip(const struct loupe_request *request, struct loupe_arena *arena) {
    struct loupe_request again;
    char *text = request_text(request);
    FUZZ_CHECK(loupe_request_decode(text, arena, &again, NULL) == LOUPE_OK);
    char *second = request_text(&again);
    FUZZ_CHECK(strcmp(text, second) == 0);
    FUZZ_CHECK(again.filter_count == request->filter_count);
    FUZZ_CHECK(again.root_count == request->root_count);
    FUZZ_CHECK(again.fact_count == request->fact_count);
    FUZZ_CHECK(again.read_count == request->read_count);
    free(second);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct loupe_target target;
    struct loupe_memory memory = {0};
    struct loupe_request request;
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    loupe_cxx_may_own((struct loupe_span){.bytes = (const char *)data, .length = size});
    loupe_target_init(&target, &memory, &fuzz_chunks);
    enum loupe_status status = loupe_request_decode(text, &target.arena, &request, NULL);
    FUZZ_CHECK(status == LOUPE_OK || status == LOUPE_EUSAGE);
    if (!status) {
        check_round_trip(&request, &target.arena);
        check_facts(&request, &target);
    }
    loupe_target_deinit(&target);
    free(text);
    return 0;
}
