/*
 * A whole heap as the input damages it: a question about an object, from its address to the line of
 * JSON. The first byte says which question, which form of the runtime and what the rest means:
 * records that overwrite words of a picture with everything in it (drawn_picture.h), or the bytes
 * of the whole memory, in which only the runtime's symbols are given; or the text that goes along
 * with a question about the picture as it is.
 */
#include "fuzz_target.h"

#include "graphs/drawn_picture.h"
#include "loupe.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

#define IMAGE 0x10000u

enum { FORMS = 3, LIMIT = 500 };

/* ---- The picture, drawn once and copied for every input ---- */

struct canvas {
    struct drawn_picture picture;
    uint8_t *clean;
    size_t size;
};

static struct canvas *open_canvas(unsigned form) {
    static const enum drawn_form forms[FORMS] = {DRAWN_X86_64, DRAWN_ARM64E, DRAWN_32_BIT};
    static struct canvas canvases[FORMS];
    struct canvas *canvas = &canvases[form];
    if (!canvas->clean) {
        drawn_picture_init(&canvas->picture, forms[form]);
        canvas->picture.heap.tells_regions = true; /* or every stray address costs a piece */
        canvas->size = (size_t)(canvas->picture.heap.next - IMAGE);
        canvas->clean = malloc(canvas->size);
        FUZZ_CHECK(canvas->clean != NULL);
        memcpy(canvas->clean, canvas->picture.heap.regions[0].bytes, canvas->size);
    }
    memcpy(canvas->picture.heap.regions[0].bytes, canvas->clean, canvas->size);
    canvas->picture.heap.regions[0].size = canvas->size;
    return canvas;
}

/* A record: where (in words), how the value is meant, the value. */
enum { RECORD = 2 + 1 + 8 };

static void apply_record(struct canvas *canvas, const uint8_t *record) {
    uint16_t place;
    uint64_t value;
    memcpy(&place, record, sizeof(place));
    memcpy(&value, record + 3, sizeof(value));
    size_t offset = place % (canvas->size / 8) * 8;
    uint8_t *word = canvas->picture.heap.regions[0].bytes + offset;
    uint64_t old;
    memcpy(&old, word, sizeof(old));
    switch (record[2] & 3) {
    case 0:
        break; /* the value itself */
    case 1:
        value = IMAGE + value % canvas->size; /* an address in the picture */
        break;
    case 2:
        value = old ^ value;
        break;
    case 3:
        value = old + (value & 0xff) - 0x80;
        break;
    }
    memcpy(word, &value, sizeof(value));
}

/* ---- The question ---- */

static enum loupe_status count_text(void *ctx, const char *bytes, size_t len) {
    (void)bytes;
    *(size_t *)ctx += len;
    return LOUPE_OK;
}

/* Two pages of the picture as roots, and everything that can be explained. */
static const char usual_arguments[] = "explain;scan data 0x10000 0x11000;scan stack 0x14004 "
                                      "0x15000;root given 0x10040;filter NSObject * NSBlock why";

/* Of places that the picture has, and of some that it has not. */
static const char usual_facts[] =
    "ref 0x10040 ivar unclear debug-info +0x8 0x10080 a;read 0x10048;list 2;"
    "ref 0x10080 ivar strong formatter - 0x10040 b;ref 0x1 element manual formatter 0x2 0x3 c";

static void ask(struct drawn_heap *heap, enum loupe_query query, loupe_addr address,
                const char *arguments) {
    struct loupe_question question = {.query = query,
                                      .address = address,
                                      .limit = LIMIT,
                                      .max_rings = 3,
                                      .engine = "drawn",
                                      .arguments = arguments};
    struct loupe_memory plain, memory;
    size_t written = 0;
    drawn_memory(heap, &plain);
    loupe_memory_init(&memory, plain.ops, plain.ctx, plain.machine, &fuzz_chunks);
    loupe_answer(&memory, &fuzz_chunks, &question,
                 (struct loupe_sink){.write = count_text, .ctx = &written});
    FUZZ_CHECK(written > 0);
    loupe_memory_deinit(&memory);
    loupe_memory_deinit(&plain);
}

/* The same in a session that is told something; whatever comes of it, a line is written. */
static void go_on(struct drawn_heap *heap, enum loupe_query query, loupe_addr address,
                  const char *arguments, const char *facts) {
    struct loupe_question question = {.query = query,
                                      .address = address,
                                      .limit = LIMIT,
                                      .engine = "drawn",
                                      .arguments = arguments};
    struct loupe_memory plain, memory;
    size_t written = 0, before = 0;
    struct loupe_sink sink = {.write = count_text, .ctx = &written};
    drawn_memory(heap, &plain);
    loupe_memory_init(&memory, plain.ops, plain.ctx, plain.machine, &fuzz_chunks);
    struct loupe_session *session = loupe_session_open(&memory, &fuzz_chunks, &question);
    FUZZ_CHECK(session != NULL);
    for (unsigned round = 0; round < 3; round++, before = written) {
        if (round % 2)
            loupe_session_ask(session, NULL, sink);
        else
            loupe_session_extend(session, facts, sink);
        FUZZ_CHECK(written > before);
    }
    loupe_session_close(session);
    loupe_memory_deinit(&memory);
    loupe_memory_deinit(&plain);
}

static void ask_with_text(struct drawn_heap *heap, enum loupe_query query, loupe_addr address,
                          const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    ask(heap, query, address, text);
    go_on(heap, query, address, "list 3", text);
    free(text);
}

enum { WHOLE_MEMORY = 0x80, TEXT = 0x40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size)
        return 0;
    enum loupe_query query = (enum loupe_query)(data[0] % LOUPE_QUERY_COUNT);
    struct canvas *canvas = open_canvas(data[0] / LOUPE_QUERY_COUNT % FORMS);
    struct drawn_heap *heap = &canvas->picture.heap;
    loupe_addr address =
        query == LOUPE_QUERY_BLOCK_LAYOUT ? canvas->picture.block : canvas->picture.seed;
    if (data[0] & TEXT) {
        ask_with_text(heap, query, address, data + 1, size - 1);
        return 0;
    }
    if (data[0] & WHOLE_MEMORY) {
        size_t length = size - 1 < canvas->size ? size - 1 : canvas->size;
        memcpy(heap->regions[0].bytes, data + 1, length);
        address = IMAGE + 8u * (data[0] % 16);
    } else {
        for (size_t at = 1; at + RECORD <= size; at += RECORD)
            apply_record(canvas, data + at);
    }
    ask(heap, query, address, data[0] & 1 ? usual_arguments : NULL);
    if (data[0] & 2)
        go_on(heap, query, address, usual_arguments, usual_facts);
    return 0;
}
