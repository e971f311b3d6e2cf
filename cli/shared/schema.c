/* loupe --schema VERB: the JSON Schema of its answers, which is docs/schema/answers.schema.json
 * with one of its definitions in front. */
#include "shared/schema.h"

#include "shared/cli.h"

#include <string.h>

int cli_schema(const char **words, unsigned count) {
    char name[80];
    const char *text = answer_schemas[0].text, *definitions = strstr(text, "\"$defs\"");
    if (!count) {
        fputs(text, stdout);
        return CLI_OK;
    }
    loupe_format(name, sizeof(name), "\"answer:%s\":", words[0]);
    if (count > 1 || !definitions || !strstr(text, name))
        return cli_fail(CLI_NONSENSE, NULL, "--schema takes a query that answers in JSON, not '%s'",
                        cli_printable(loupe_span_of(words[count > 1])));
    printf("%.*s\"$ref\": \"#/$defs/answer:%s\",\n %s", (int)(definitions - text), text, words[0],
           definitions);
    return CLI_OK;
}
