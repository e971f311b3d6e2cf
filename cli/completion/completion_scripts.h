/*
 * completion_scripts.h - the files of completion/ as texts.
 */
#ifndef LOUPE_CLI_COMPLETION_SCRIPTS_H
#define LOUPE_CLI_COMPLETION_SCRIPTS_H

/* Ended by one without a name. */
extern const struct completion_script {
    const char *name, *text; /* "bash" */
} completion_scripts[];

#endif
