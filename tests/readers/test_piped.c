/* The reader of what a debugger has, against a debugger whose words are written down beforehand. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include "piped/parts.h"
#include "piped/piped.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Both sides: what the debugger says lies in one pipe before the engine reads it, what the engine
 * asks in another. */
struct played {
    struct loupe_wire debugger, engine;
    struct loupe_piped_reader reader;
};

static void put_target(struct loupe_wire *wire, enum loupe_arch arch, unsigned flags) {
    uint64_t process = flags & LOUPE_WIRE_IS_HERE ? (uint64_t)getpid() : 4711;
    loupe_wire_begin(wire);
    loupe_wire_put(wire, 8, 1);
    loupe_wire_put(wire, arch, 1);
    loupe_wire_put(wire, flags, 1);
    loupe_wire_put(wire, 0, 1);
    loupe_wire_put(wire, 0x00ffffffffffffff, 8);
    loupe_wire_put(wire, 0xff80000000000000, 8);
    loupe_wire_put(wire, process, 8);
    loupe_wire_put_text(wire, loupe_span_of("/bin/program"));
    loupe_wire_send(wire, LOUPE_WIRE_TARGET);
}

static void play(struct played *played, enum loupe_arch arch, unsigned flags) {
    int to_engine[2], to_debugger[2];
    enum loupe_wire_kind kind;
    struct loupe_wire_body body;
    CHECK_EQ(pipe(to_engine), 0);
    CHECK_EQ(pipe(to_debugger), 0);
    loupe_wire_init(&played->debugger, to_debugger[0], to_engine[1]);
    loupe_wire_init(&played->engine, to_engine[0], to_debugger[1]);
    put_target(&played->debugger, arch, flags);
    CHECK(loupe_wire_receive(&played->engine, &kind, &body));
    CHECK_EQ(kind, LOUPE_WIRE_TARGET);
    CHECK(loupe_piped_open(&played->reader, &played->engine, &body));
}

static void end(struct played *played) {
    struct loupe_wire *sides[] = {&played->debugger, &played->engine};
    loupe_piped_close(&played->reader);
    for (unsigned i = 0; i < 2; i++) {
        close(sides[i]->from);
        close(sides[i]->to);
        loupe_wire_deinit(sides[i]);
    }
}

/* The debugger's reply is in the pipe from here on; what follows the status is put by the caller.
 */
static struct loupe_wire *begin_reply(struct played *played) {
    loupe_wire_begin(&played->debugger);
    loupe_wire_put(&played->debugger, 0, 1);
    return &played->debugger;
}

static void reply(struct played *played) {
    loupe_wire_send(&played->debugger, LOUPE_WIRE_REPLY);
}

/* What the engine asks next, without waiting for it: 0, nothing. */
static enum loupe_wire_kind asked(struct played *played, struct loupe_wire_body *body) {
    enum loupe_wire_kind kind = 0;
    fcntl(played->debugger.from, F_SETFL, O_NONBLOCK);
    return loupe_wire_receive(&played->debugger, &kind, body) ? kind : 0;
}

static void put_region(struct loupe_wire *wire, loupe_addr start, loupe_addr end, bool readable) {
    loupe_wire_put(wire, start, 8);
    loupe_wire_put(wire, start, 8);
    loupe_wire_put(wire, end, 8);
    loupe_wire_put(wire, readable, 1);
}

/* ---- What is asked, and what is made of the reply ---- */

static void test_the_target_is_what_was_said(void) {
    struct played played;
    play(&played, LOUPE_ARCH_X86_64, LOUPE_WIRE_IS_CORE);
    CHECK_EQ(played.reader.machine.pointer_size, 8);
    CHECK_EQ(played.reader.machine.arch, LOUPE_ARCH_X86_64);
    CHECK(played.reader.is_core && !played.reader.is_apple);
    CHECK_EQ(played.reader.process, 4711);
    CHECK_STR(played.reader.program, "/bin/program");
    CHECK_EQ(loupe_piped_page_reads(&played.reader), 0);
    end(&played);
}

static void test_memory_is_read_as_it_comes(void) {
    struct played played;
    struct loupe_wire_body body;
    uint8_t bytes[4];
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_put_bytes(begin_reply(&played), "abcd", 4);
    reply(&played);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_OK);
    CHECK(memcmp(bytes, "abcd", 4) == 0);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_READ);
    CHECK_EQ(loupe_wire_take(&body, 8), 0x1000);
    CHECK_EQ(loupe_wire_take(&body, 4), 4);
    CHECK(loupe_wire_is_done(&body));
    end(&played);
}

static void test_memory_that_is_not_there_is_no_end(void) {
    struct played played;
    uint8_t bytes[4];
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_begin(&played.debugger);
    loupe_wire_put(&played.debugger, 1, 1);
    reply(&played);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_EFAULT);
    CHECK(!played.engine.is_over);
    CHECK(!loupe_piped_ops.interrupted(&played.reader));
    end(&played);
}

#ifdef __linux__

/* The process is this one: nobody wrote to its first and last page. */
static void test_pages_that_are_not_there_are_not_asked_for(void) {
    struct played played;
    struct loupe_wire_body body;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *bytes = malloc(3 * page), *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    loupe_addr start = (uintptr_t)memory;
    madvise(memory, 3 * page, MADV_NOHUGEPAGE);
    memset(memory + page, 1, page);
    memset(bytes, 2, 3 * page);
    play(&played, LOUPE_ARCH_X86_64, LOUPE_WIRE_IS_HERE);
    loupe_wire_put_bytes(begin_reply(&played), memory + page, page);
    reply(&played);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, start, bytes, 3 * page), LOUPE_OK);
    CHECK(bytes[0] == 0 && bytes[page] == 1 && bytes[2 * page - 1] == 1 && bytes[2 * page] == 0);
    CHECK_EQ(loupe_piped_ops.zeroes(&played.reader, start), start + page);
    CHECK_EQ(loupe_piped_ops.zeroes(&played.reader, start + page), start + page);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_READ);
    CHECK_EQ(loupe_wire_take(&body, 8), start + page);
    CHECK_EQ(loupe_wire_take(&body, 4), page);
    CHECK_EQ(asked(&played, &body), 0);
    end(&played);
    munmap(memory, 3 * page);
    free(bytes);
}

#endif

static void test_memory_of_another_length_ends_the_conversation(void) {
    static const size_t lengths[] = {0, 3, 5};
    for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct played played;
        uint8_t bytes[4];
        play(&played, LOUPE_ARCH_X86_64, 0);
        loupe_wire_put_bytes(begin_reply(&played), "abcde", lengths[i]);
        reply(&played);
        CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_EFAULT);
        CHECK(played.engine.is_over);
        CHECK(loupe_piped_ops.interrupted(&played.reader)); /* so that the question ends */
        end(&played);
    }
}

static void test_a_reply_of_another_kind_ends_the_conversation(void) {
    struct played played;
    uint8_t bytes[4];
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_put_bytes(begin_reply(&played), "abcd", 4);
    loupe_wire_send(&played.debugger, LOUPE_WIRE_OPEN);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_EFAULT);
    CHECK(played.engine.is_over);
    end(&played);
}

static void test_a_message_longer_than_any_is_not_waited_for(void) {
    struct played played;
    uint8_t bytes[4];
    static const uint8_t header[] = {0xff, 0xff, 0xff, 0xff, LOUPE_WIRE_REPLY, 0, 0, 0};
    play(&played, LOUPE_ARCH_X86_64, 0);
    CHECK_EQ(write(played.debugger.to, header, sizeof(header)), sizeof(header));
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_EFAULT);
    CHECK(played.engine.is_over);
    CHECK(played.engine.in_capacity < LOUPE_WIRE_LONGEST);
    end(&played);
}

/* ---- Regions ---- */

static void test_regions_side_by_side_are_one_and_asked_for_once(void) {
    struct played played;
    struct loupe_wire_body body;
    loupe_addr start, end_of_it;
    play(&played, LOUPE_ARCH_X86_64, 0);
    struct loupe_wire *wire = begin_reply(&played);
    put_region(wire, 0x21000, 0x22000, true);
    put_region(wire, 0x20000, 0x21000, true);
    put_region(wire, 0x1f000, 0x20000, false);
    put_region(wire, 0x22000, 0x40000, true);
    reply(&played);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(loupe_piped_ops.region(&played.reader, 0x21800, &start, &end_of_it));
        CHECK_EQ(start, 0x20000);
        CHECK_EQ(end_of_it, 0x40000);
    }
    CHECK(!loupe_piped_ops.region(&played.reader, 0x1f000, &start, &end_of_it));
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_REGION);
    CHECK_EQ(loupe_wire_take(&body, 8), 0x20000);
    CHECK_EQ(loupe_wire_take(&body, 8), 0x30000);
    CHECK_EQ(loupe_wire_take(&body, 8), 0x21800);
    CHECK_EQ(asked(&played, &body), 0);
    end(&played);
}

static void test_where_nothing_is_known_every_address_is_worth_a_try(void) {
    struct played played;
    loupe_addr start, end_of_it;
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_begin(&played.debugger);
    loupe_wire_put(&played.debugger, 1, 1);
    reply(&played);
    CHECK(loupe_piped_ops.region(&played.reader, 0x21800, &start, &end_of_it));
    CHECK_EQ(start, 0x20000);
    CHECK_EQ(end_of_it, 0x30000);
    end(&played);
}

static void test_what_a_core_lacks_is_read_from_files(void) {
    struct played played;
    loupe_addr start, end_of_it;
    play(&played, LOUPE_ARCH_X86_64, LOUPE_WIRE_IS_CORE);
    put_region(begin_reply(&played), 0x20000, 0x40000, false);
    reply(&played);
    struct loupe_wire *wire = begin_reply(&played);
    loupe_wire_put(wire, 0x22000, 8);
    loupe_wire_put(wire, 0x24000, 8);
    reply(&played);
    CHECK(loupe_piped_ops.region(&played.reader, 0x23000, &start, &end_of_it));
    CHECK_EQ(start, 0x22000);
    CHECK_EQ(end_of_it, 0x24000);
    CHECK(!loupe_piped_ops.region(&played.reader, 0x25000, &start, &end_of_it));
    end(&played);
}

/* Pages of a drawing: each either known, of one kind, or not; compared with what the map says. */
static void test_the_map_keeps_what_was_told_first(void) {
    enum { PAGES = 64, ROUNDS = 2000 };
    struct loupe_region_map map = {0};
    char drawn[PAGES] = {0}; /* 0: not known, else 1 + readable */
    uint32_t random = 12345;
    for (unsigned round = 0; round < ROUNDS; round++) {
        random = random * 1103515245 + 12345;
        unsigned at = random >> 8 & (PAGES - 1), size = 1 + (random >> 16 & 7);
        struct loupe_mapped_region region = {.start = at,
                                             .end = at + size > PAGES ? PAGES : at + size,
                                             .readable = random >> 24 & 1};
        loupe_addr inside = at + (random >> 20 & 1) < region.end ? at + (random >> 20 & 1) : at;
        if (round % 50 == 0) {
            loupe_region_map_deinit(&map);
            memset(drawn, 0, sizeof(drawn));
        }
        bool is_new = !drawn[inside];
        CHECK_EQ(loupe_region_map_add(&map, region, inside), is_new);
        for (loupe_addr page = inside; is_new && page < region.end && !drawn[page]; page++)
            drawn[page] = (char)(1 + region.readable);
        for (loupe_addr page = inside; is_new && page > region.start && !drawn[page - 1]; page--)
            drawn[page - 1] = (char)(1 + region.readable);
        for (loupe_addr page = 0; page < PAGES; page++) {
            const struct loupe_mapped_region *found = loupe_region_map_find(&map, page);
            CHECK_EQ(found ? 1 + found->readable : 0, drawn[page]);
        }
    }
    loupe_region_map_deinit(&map);
}

/* ---- What was told before it was asked for ---- */

/* What the debugger puts into the next KNOWN: one request with its whole reply. */
static void put_known(struct loupe_wire *wire, enum loupe_wire_kind kind, const void *request,
                      size_t request_size, const void *reply, size_t reply_size) {
    loupe_wire_put(wire, kind, 2);
    loupe_wire_put_text(wire, (struct loupe_span){request, request_size});
    loupe_wire_put_text(wire, (struct loupe_span){reply, reply_size});
}

static void learn(struct played *played) {
    enum loupe_wire_kind kind;
    struct loupe_wire_body body;
    loupe_wire_send(&played->debugger, LOUPE_WIRE_KNOWN);
    CHECK(loupe_wire_receive(&played->engine, &kind, &body) && kind == LOUPE_WIRE_KNOWN);
    loupe_wire_learn(&played->engine, body);
}

static void test_what_is_known_is_not_asked_for(void) {
    struct played played;
    struct loupe_wire_body body;
    uint8_t bytes[4];
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_begin(&played.debugger);
    static const uint8_t requests[2][12] = {{0, 0x10, [8] = 4}, {0, 0x20, [8] = 4}};
    put_known(&played.debugger, LOUPE_WIRE_READ, requests[0], 12, "\0abcd", 5);
    put_known(&played.debugger, LOUPE_WIRE_READ, requests[1], 12, "\1", 1);
    learn(&played);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_OK);
    CHECK(memcmp(bytes, "abcd", 4) == 0);
    loupe_wire_tell_used(&played.engine);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_USED);
    CHECK_EQ(loupe_wire_take(&body, 2), 0);
    CHECK(loupe_wire_is_done(&body));
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x2000, bytes, 4), LOUPE_EFAULT);
    CHECK(!played.engine.is_over);
    loupe_wire_put_bytes(begin_reply(&played), "efgh", 4);
    reply(&played);
    loupe_wire_forget(&played.engine); /* somebody may write to memory before the next question */
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_OK);
    CHECK(memcmp(bytes, "efgh", 4) == 0);
    end(&played);
}

static loupe_addr symbol(struct played *played, const char *name) {
    loupe_addr address = 0;
    return loupe_piped_ops.find_symbol(&played->reader, name, &address) ? 0 : address;
}

static void test_where_things_are_is_asked_for_once_at_a_stop(void) {
    static const char name[] = "\4\0\0\0told";
    struct played played;
    struct loupe_wire_body body;
    enum loupe_wire_kind kind;
    play(&played, LOUPE_ARCH_X86_64, 0);
    loupe_wire_begin(&played.debugger);
    put_known(&played.debugger, LOUPE_WIRE_SYMBOL, name, sizeof(name) - 1, "\0\0\x10\0\0\0\0\0\0",
              9);
    learn(&played);
    loupe_wire_put(begin_reply(&played), 0x2000, 8);
    reply(&played);
    CHECK_EQ(symbol(&played, "asked"), 0x2000);
    loupe_wire_forget(&played.engine); /* the question is closed */
    CHECK_EQ(symbol(&played, "asked"), 0x2000);
    CHECK_EQ(symbol(&played, "told"), 0x1000);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_SYMBOL);
    CHECK_EQ(asked(&played, &body), 0);
    played.debugger.is_over = false; /* there was nothing to receive, no more */
    put_target(&played.debugger, LOUPE_ARCH_X86_64, 0);
    loupe_piped_close(&played.reader);
    CHECK(loupe_wire_receive(&played.engine, &kind, &body));
    CHECK(loupe_piped_open(&played.reader, &played.engine, &body));
    loupe_wire_put(begin_reply(&played), 0x3000, 8);
    reply(&played);
    CHECK_EQ(symbol(&played, "told"), 0x3000);
    end(&played);
}

static void test_many_things_are_kept(void) {
    enum { MANY = 3000 };
    struct played played;
    char name[16];
    play(&played, LOUPE_ARCH_X86_64, 0);
    for (unsigned round = 0; round < 2; round++) {
        for (uint64_t i = 1; i <= MANY; i++) {
            loupe_format(name, sizeof(name), "name%u", (unsigned)i);
            if (round == 0) {
                loupe_wire_put(begin_reply(&played), i, 8);
                reply(&played);
            }
            CHECK_EQ(symbol(&played, name), i);
            struct loupe_wire_body body;
            CHECK_EQ(asked(&played, &body), round == 0 ? LOUPE_WIRE_SYMBOL : 0);
        }
    }
    end(&played);
}

/* ---- Threads ---- */

static void put_register(struct loupe_wire *wire, uint64_t value) {
    loupe_wire_put(wire, 1, 1);
    loupe_wire_put(wire, value, 8);
}

static void test_registers_of_a_second_thread_come_at_once(void) {
    const struct loupe_process_ops *process = loupe_piped_ops.process;
    struct played played;
    struct loupe_wire_body body;
    uint64_t value = 0;
    play(&played, LOUPE_ARCH_X86_64, 0);
    for (unsigned i = 0; i < 2; i++) {
        put_register(begin_reply(&played), i);
        reply(&played);
    }
    CHECK(process->thread_register(&played.reader, 0, "rsp", &value) && value == 0);
    CHECK(process->thread_register(&played.reader, 0, "rax", &value) && value == 1);
    CHECK(process->thread_register(&played.reader, 0, "rsp", &value) && value == 0);
    put_register(begin_reply(&played), 7);
    put_register(&played.debugger, 8);
    reply(&played);
    CHECK(process->thread_register(&played.reader, 5, "rax", &value) && value == 8);
    CHECK(process->thread_register(&played.reader, 5, "rsp", &value) && value == 7);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_REGISTERS);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_REGISTERS);
    CHECK_EQ(asked(&played, &body), LOUPE_WIRE_REGISTERS);
    CHECK_EQ(loupe_wire_take(&body, 4), 5);
    CHECK(loupe_span_equals(loupe_wire_take_text(&body), "rsp"));
    CHECK(loupe_span_equals(loupe_wire_take_text(&body), "rax"));
    CHECK_EQ(asked(&played, &body), 0);
    end(&played);
}

/* ---- The rest ---- */

static void test_bits_of_addresses(void) {
    struct played played;
    play(&played, LOUPE_ARCH_ARM64, 0);
    CHECK_EQ(loupe_piped_ops.strip(&played.reader, 0xab00123456789abc), 0x00123456789abc);
    CHECK_EQ(loupe_piped_ops.strip(&played.reader, 0x0080123456789abc), 0xff80123456789abc);
    end(&played);
    play(&played, LOUPE_ARCH_ARM64, LOUPE_WIRE_IS_APPLE);
    CHECK_EQ(loupe_piped_ops.strip(&played.reader, 0x0045800012345678), 0x0000000012345678);
    end(&played);
    play(&played, LOUPE_ARCH_X86_64, 0);
    CHECK_EQ(loupe_piped_ops.strip(&played.reader, 0xab80123456789abc), 0xab80123456789abc);
    end(&played);
}

static void test_an_interruption_is_heard_without_and_with_a_request(void) {
    struct played played;
    uint8_t bytes[4];
    play(&played, LOUPE_ARCH_X86_64, 0);
    CHECK(!loupe_piped_ops.interrupted(&played.reader));
    loupe_wire_begin(&played.debugger);
    loupe_wire_send(&played.debugger, LOUPE_WIRE_INTERRUPT);
    CHECK(loupe_piped_ops.interrupted(&played.reader));
    played.engine.is_interrupted = false;
    loupe_wire_begin(&played.debugger);
    loupe_wire_send(&played.debugger, LOUPE_WIRE_INTERRUPT);
    loupe_wire_put_bytes(begin_reply(&played), "abcd", 4);
    reply(&played);
    CHECK_EQ(loupe_piped_ops.read(&played.reader, 0x1000, bytes, 4), LOUPE_OK);
    CHECK(loupe_piped_ops.interrupted(&played.reader));
    CHECK(!played.engine.is_over);
    end(&played);
}

int main(void) {
    RUN(test_the_target_is_what_was_said);
    RUN(test_memory_is_read_as_it_comes);
    RUN(test_memory_that_is_not_there_is_no_end);
#ifdef __linux__
    RUN(test_pages_that_are_not_there_are_not_asked_for);
#endif
    RUN(test_memory_of_another_length_ends_the_conversation);
    RUN(test_a_reply_of_another_kind_ends_the_conversation);
    RUN(test_a_message_longer_than_any_is_not_waited_for);
    RUN(test_regions_side_by_side_are_one_and_asked_for_once);
    RUN(test_where_nothing_is_known_every_address_is_worth_a_try);
    RUN(test_what_a_core_lacks_is_read_from_files);
    RUN(test_the_map_keeps_what_was_told_first);
    RUN(test_what_is_known_is_not_asked_for);
    RUN(test_where_things_are_is_asked_for_once_at_a_stop);
    RUN(test_many_things_are_kept);
    RUN(test_registers_of_a_second_thread_come_at_once);
    RUN(test_bits_of_addresses);
    RUN(test_an_interruption_is_heard_without_and_with_a_request);
    return check_report();
}
