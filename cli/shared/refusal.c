/* Beside what was said on stderr. */
#include "shared/refusal.h"

#include "report/heaps/report_snapshot.h"
#include "shared/cli.h"
#include "shared/output.h"

void cli_put_error(const char *query, const char *path, const struct loupe_error *error) {
    struct loupe_json json;
    if (path && !cli_output_begin(path))
        return;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_error(&json, query, error);
    loupe_json_finish(&json);
    cli_end_answer();
}

int cli_put_misuse(const char *query, const char *path, int status) {
    struct loupe_error error = {.code = LOUPE_EUSAGE};
    loupe_format(error.message, sizeof(error.message), "%s", cli_last_complaint());
    cli_put_error(query, path, &error);
    return status;
}
