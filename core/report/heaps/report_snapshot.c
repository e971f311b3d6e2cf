#include "report/heaps/report_snapshot.h"

#include "report/heaps/report_heap.h"

static void put_envelope(struct loupe_json *json, const char *verb, const char *status) {
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", 1);
    loupe_json_put_string(json, "query", verb);
    loupe_json_put_string(json, "engine", "memory");
    loupe_json_put_string(json, "status", status);
}

static void put_counts(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    const struct loupe_columns *columns = &snapshot->columns;
    loupe_json_key(json, "snapshot");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "source", "hprof");
    loupe_json_put_string(json, "origin", "file");
    loupe_json_put_uint(json, "objects", columns->nodes);
    loupe_json_put_uint(json, "references", columns->nodes ? columns->first[columns->nodes] : 0);
    loupe_json_put_uint(json, "roots", columns->root_count);
    loupe_json_put_uint(json, "bytes", snapshot->bytes);
    loupe_json_put_uint(json, "raw_blocks", 0);
    loupe_json_put_uint(json, "raw_bytes", 0);
    loupe_json_end_object(json);
}

void loupe_report_snapshot_begin(struct loupe_json *json, const char *verb,
                                 const struct loupe_snapshot *snapshot, bool incomplete) {
    incomplete = incomplete || loupe_snapshot_is_incomplete(snapshot);
    put_envelope(json, verb, incomplete ? "incomplete" : "ok");
    loupe_json_put_text(
        json, "abi",
        loupe_snapshot_string(snapshot, snapshot->native ? snapshot->native->abi : LOUPE_NONE));
    loupe_json_put_uint(json, "pointer_size", snapshot->address_size);
    if (snapshot->native)
        loupe_report_heap(json, snapshot);
    else
        put_counts(json, snapshot);
}

static void begin_lost(struct loupe_json *json, const char *reason, uint64_t count) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "reason", reason);
    loupe_json_put_uint(json, "count", count);
}

static void put_notes(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    if (snapshot->native)
        loupe_report_heap_note_items(json, snapshot);
    for (unsigned i = 0; i < LOUPE_NOTE_COUNT; i++) {
        enum loupe_snapshot_note note = (enum loupe_snapshot_note)i;
        if (!snapshot->notes[i].count)
            continue;
        begin_lost(json, loupe_snapshot_note_text(note), snapshot->notes[i].count);
        loupe_json_put_address(json, "example", snapshot->notes[i].example);
        loupe_json_put_bool(json, "lost", loupe_snapshot_note_is_loss(note));
        if (!loupe_snapshot_note_is_address(note))
            loupe_json_put_bool(json, "is_offset", true);
        loupe_json_end_object(json);
    }
}

void loupe_report_snapshot_end(struct loupe_json *json, const struct loupe_snapshot *snapshot) {
    loupe_json_key(json, "not_followed");
    loupe_json_begin_array(json);
    put_notes(json, snapshot);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

void loupe_report_snapshot_ended(struct loupe_json *json, const char *verb,
                                 const struct loupe_snapshot *snapshot, const char *reason) {
    loupe_report_snapshot_begin(json, verb, snapshot, true);
    loupe_json_key(json, "not_followed");
    loupe_json_begin_array(json);
    begin_lost(json, reason, 1);
    loupe_json_key(json, "example");
    loupe_json_null(json);
    loupe_json_put_string(json, "code", "ended");
    loupe_json_put_bool(json, "lost", true);
    loupe_json_end_object(json);
    put_notes(json, snapshot);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* ---- Of classes alone ---- */

void loupe_report_summary_begin(struct loupe_json *json, const char *verb,
                                const struct loupe_hprof_summary *summary, bool incomplete) {
    incomplete = incomplete || loupe_snapshot_is_incomplete(&summary->classes);
    put_envelope(json, verb, incomplete ? "incomplete" : "ok");
    loupe_json_put_string(json, "abi", NULL);
    loupe_json_put_uint(json, "pointer_size", summary->classes.address_size);
    loupe_json_key(json, "snapshot");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "source", "hprof");
    loupe_json_put_string(json, "origin", "file");
    loupe_json_put_uint(json, "objects", summary->objects);
    loupe_json_put_string(json, "references", NULL);
    loupe_json_put_string(json, "roots", NULL);
    loupe_json_put_uint(json, "bytes", summary->bytes);
    loupe_json_end_object(json);
}

void loupe_report_summary_end(struct loupe_json *json, const struct loupe_hprof_summary *summary,
                              const char *because) {
    loupe_json_key(json, "not_followed");
    loupe_json_begin_array(json);
    if (because) {
        begin_lost(json, because, 1);
        loupe_json_put_string(json, "example", NULL);
        loupe_json_put_string(json, "code", "memory");
        loupe_json_put_bool(json, "lost", true);
        loupe_json_end_object(json);
    }
    put_notes(json, &summary->classes);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* ---- Errors ---- */

void loupe_report_snapshot_begin_error(struct loupe_json *json, const char *verb,
                                       const struct loupe_error *error) {
    put_envelope(json, verb, "error");
    loupe_json_key(json, "error");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "code", loupe_status_name(error->code));
    loupe_json_put_string(json, "message", error->message);
    if (error->address)
        loupe_json_put_address(json, "address", error->address);
    else
        loupe_json_put_string(json, "address", NULL);
    loupe_json_put_string(
        json, "detail",
        loupe_detail_name(error->code == LOUPE_ENOMEM ? LOUPE_DETAIL_NO_MEMORY : error->detail));
    loupe_json_end_object(json);
}

void loupe_report_snapshot_error(struct loupe_json *json, const char *verb,
                                 const struct loupe_error *error) {
    loupe_report_snapshot_begin_error(json, verb, error);
    loupe_json_end_object(json);
}
