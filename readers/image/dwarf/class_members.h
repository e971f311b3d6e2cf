/*
 * class_members.h - what the members of C++'s classes are called, by DWARF's descriptions of the
 * classes, versions 4 and 5: of those classes alone that somebody asks for, since a program has
 * many. Entries of no such class are passed over, not read.
 *
 * Any bytes may stand there: entries.h.
 */
#ifndef LOUPE_READERS_CLASS_MEMBERS_H
#define LOUPE_READERS_CLASS_MEMBERS_H

#include "base/map.h"
#include "image/dwarf/entries.h"

/* Classes, each known by a key of its name: of "app::Table<int>" too, whatever spaces it has. */
struct loupe_wanted_classes {
    struct loupe_map by_key; /* -> the caller's number */
    struct loupe_map around; /* keys of what they stand in: "app" */
};

void loupe_wanted_init(struct loupe_wanted_classes *wanted, const struct loupe_chunk_ops *chunks);
void loupe_wanted_deinit(struct loupe_wanted_classes *wanted);
/* Adds a class; *number_ret is that of the first of the name. LOUPE_ENOMEM. */
enum loupe_status loupe_wanted_add(struct loupe_wanted_classes *wanted, struct loupe_span name,
                                   uint32_t number, uint32_t *number_ret);

/* Bytes of an object, and what they are called: "parent", "pair.second"; of what a library has, and
 * of an array, all of it has one name, and of containers that says which: "tracks (vector)". The
 * name stays during the visit. */
struct loupe_class_member {
    uint32_t wanted; /* number of the class */
    uint64_t offset, size;
    struct loupe_span name;
};
typedef void loupe_class_member_visitor(void *ctx, const struct loupe_class_member *member);

/* What was not looked into. */
struct loupe_members_missing {
    uint64_t units; /* whose types are in another file or of a kind of their own */
    uint64_t types; /* of members, that stand elsewhere */
};

/* Visits the members of each wanted class of the file once, those of its bases too. *missing_ret is
 * added to. LOUPE_ENOMEM. */
enum loupe_status loupe_class_members_visit(const struct loupe_dwarf_sections *sections,
                                            const struct loupe_wanted_classes *wanted,
                                            const struct loupe_chunk_ops *chunks,
                                            loupe_class_member_visitor *visit, void *ctx,
                                            struct loupe_members_missing *missing_ret);

#endif
