#include "report/report.h"

enum { PROTOCOL_VERSION = 1, MICROSECONDS_PER_MS = 1000 };

static void begin(struct loupe_json *json, const struct loupe_envelope *envelope,
                  const char *status) {
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", PROTOCOL_VERSION);
    loupe_json_put_string(json, "query", envelope->query);
    loupe_json_put_string(json, "engine", envelope->engine);
    loupe_json_put_string(json, "status", status);
    loupe_json_put_string(json, "abi", envelope->abi);
    loupe_json_put_uint(json, "pointer_size", envelope->pointer_size);
}

void loupe_report_begin(struct loupe_json *json, const struct loupe_envelope *envelope,
                        bool complete) {
    begin(json, envelope, complete ? "ok" : "incomplete");
}

void loupe_report_end(struct loupe_json *json) {
    loupe_json_end_object(json);
}

void loupe_report_begin_error(struct loupe_json *json, const struct loupe_envelope *envelope,
                              const struct loupe_error *err) {
    begin(json, envelope, "error");
    loupe_json_key(json, "error");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "code", loupe_status_name(err->code));
    loupe_json_put_string(json, "message", err->message);
    loupe_json_key(json, "address");
    if (err->address)
        loupe_json_address(json, err->address);
    else
        loupe_json_null(json);
    loupe_json_put_string(json, "detail", loupe_detail_name(err->detail));
    loupe_json_end_object(json);
}

void loupe_report_error(struct loupe_json *json, const struct loupe_envelope *envelope,
                        const struct loupe_error *err) {
    loupe_report_begin_error(json, envelope, err);
    loupe_report_end(json);
}

bool loupe_report_is_complete(const struct loupe_findings *findings) {
    return !findings->by_reason[LOUPE_FINDING_LIMIT].count &&
           !findings->by_reason[LOUPE_FINDING_INTERRUPTED].count &&
           !findings->by_reason[LOUPE_FINDING_SEARCH].count;
}

void loupe_report_freed(struct loupe_json *json, const struct loupe_freed *freed) {
    loupe_json_key(json, "freed");
    loupe_json_begin_object(json);
    loupe_json_put_bool(json, "certain", freed->certain);
    loupe_json_put_string(json, "why", loupe_freed_text(freed->mark));
    loupe_json_put_string(json, "class", freed->was);
    loupe_json_end_object(json);
}

void loupe_report_not_followed(struct loupe_json *json, const struct loupe_findings *findings) {
    loupe_json_key(json, "not_followed");
    loupe_json_begin_array(json);
    for (unsigned reason = 0; reason < LOUPE_FINDING_COUNT; reason++) {
        if (!findings->by_reason[reason].count)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "reason", loupe_finding_text((enum loupe_finding)reason));
        loupe_json_put_uint(json, "count", findings->by_reason[reason].count);
        loupe_json_put_address(json, "example", findings->by_reason[reason].example);
        loupe_json_put_string(json, "code", loupe_finding_code((enum loupe_finding)reason));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

uint64_t loupe_report_clock(const struct loupe_memory *memory) {
    return memory->ops->microseconds ? memory->ops->microseconds(memory->ctx) : 0;
}

static void write_time(struct loupe_json *json, const char *key, const struct loupe_memory *memory,
                       uint64_t microseconds) {
    loupe_json_key(json, key);
    if (memory->ops->microseconds)
        loupe_json_uint(json, microseconds / MICROSECONDS_PER_MS);
    else
        loupe_json_null(json);
}

void loupe_report_stats(struct loupe_json *json, const struct loupe_memory *memory,
                        const struct loupe_costs *costs) {
    const struct loupe_process_ops *process = memory->ops->process;
    uint64_t paused = process && process->paused ? process->paused(memory->ctx) : 0;
    loupe_json_key(json, "stats");
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "objects", costs->objects);
    if (costs->others)
        loupe_json_put_uint(json, "others", costs->others);
    loupe_json_put_uint(json, "edges", costs->edges);
    loupe_json_put_uint(json, "reads", memory->reads);
    loupe_json_put_uint(json, "bytes", memory->bytes);
    write_time(json, "ms", memory, loupe_report_clock(memory) - costs->started);
    if (costs->has_walk)
        write_time(json, "walk_ms", memory, costs->walked - costs->started);
    if (paused)
        loupe_json_put_uint(json, "paused_ms",
                            (paused + MICROSECONDS_PER_MS - 1) / MICROSECONDS_PER_MS);
    loupe_json_end_object(json);
}
