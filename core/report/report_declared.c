#include "report/report_declared.h"

void loupe_report_declared(struct loupe_json *json, const char *path, uint32_t line) {
    loupe_json_key(json, "declared");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "file", loupe_span_of(path));
    loupe_json_put_uint(json, "line", line);
    loupe_json_end_object(json);
}
