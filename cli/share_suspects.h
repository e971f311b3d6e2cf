/*
 * share_suspects.h - what keeps a large share of a heap alive, with no rule: each with the
 * reference that is to be looked at, and what it accumulates.
 */
#ifndef LOUPE_CLI_SHARE_SUSPECTS_H
#define LOUPE_CLI_SHARE_SUSPECTS_H

#include "analysis/owners.h"
#include "base/json.h"
#include "heap_gates.h"
#include "heap_question.h"

enum { SHARE_CULPRIT = 256 };

struct share_suspect {
    struct loupe_owner owner;
    struct loupe_trace trace;    /* to the accumulation */
    char culprit[SHARE_CULPRIT]; /* "Registry.sessions": the last reference that a program named */
    bool is_root;                /* the culprit is one: no reference on the path has a name */
    uint64_t fingerprint;
    uint32_t percent; /* of what is alive */
};

struct share_suspects {
    struct heap_question *question;
    const struct loupe_dominators *dominators;
    struct share_suspect *items; /* the largest first */
    uint32_t count, percent;     /* the share that was asked for */
    uint32_t hidden;             /* by a baseline */
    uint64_t alive;              /* bytes */
};

/* The exit status, CLI_OK or what was already said. To be given to share_suspects_deinit() either
 * way. */
int share_suspects_find(struct share_suspects *suspects, struct heap_question *question);
/* Takes out what a baseline has. */
void share_suspects_hide(struct share_suspects *suspects, struct heap_gates *gates);
void share_suspects_deinit(struct share_suspects *suspects);

/* Into the array "suspects", which is open. */
void share_suspects_report(struct loupe_json *json, const struct share_suspects *suspects);
void share_suspects_show(const struct share_suspects *suspects);

#endif
