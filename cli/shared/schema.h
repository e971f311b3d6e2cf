/*
 * schema.h - what answers look like, as a JSON Schema: `loupe --schema [QUERY]`.
 */
#ifndef LOUPE_CLI_SCHEMA_H
#define LOUPE_CLI_SCHEMA_H

/* Made of docs/schema/answers.schema.json; one, and an end. */
struct answer_schema {
    const char *name, *text;
};
extern const struct answer_schema answer_schemas[];

/* With the words behind the option. The exit status. */
int cli_schema(const char **words, unsigned count);

#endif
