#include "text/native_news.h"

#include "answers/parts/gathered_text.h"
#include "answers/reports/heaps/news.h"
#include "shared/look.h"

static enum loupe_status say(const struct loupe_heap_news *news, struct loupe_arena *arena) {
    struct gathered_text text = {.arena = arena};
    struct answer_look look = look_of_tool();
    struct loupe_error err = {0};
    struct loupe_json json;
    struct answer answer;
    struct answer_lines lines;
    const struct json_value *root;
    loupe_json_init(&json, gathered_text_sink(&text));
    loupe_json_begin_object(&json);
    loupe_report_heap_news(&json, news, true);
    loupe_json_end_object(&json);
    enum loupe_status status = loupe_json_finish(&json);
    if (!status)
        status = json_read(gathered_text_get(&text), arena, &root, &err);
    if (!status)
        status = answer_open(&answer, root, arena);
    if (status)
        return status;
    answer_lines_init(&lines, &answer, &look, cli_stdout_sink());
    answer_say_news(&lines);
    answer_close(&answer);
    return lines.status;
}

int native_news_show(const struct heap_query *query, const struct loupe_heap_news *news) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status status = say(news, &arena);
    loupe_arena_deinit(&arena);
    return status ? heap_ended(query) : CLI_OK;
}
