/*
 * native_names.h - what the debug information that a native snapshot kept (debug_names.h) says of
 * its nodes, links and roots. Texts are the snapshot's; not escaped.
 */
#ifndef LOUPE_NATIVE_NAMES_H
#define LOUPE_NATIVE_NAMES_H

#include "graph/describer.h"
#include "snapshot/values/fields.h"
#include "snapshot/native.h"

/* The variable that a block has captured as a link of it, or the member of an object of C++ that it
 * is; NULL: not known, or it is neither. */
const char *loupe_native_capture_name(const struct loupe_snapshot *snapshot, uint32_t node,
                                      uint32_t link);
/* The same of what all blocks of a class have captured at an offset. */
const char *loupe_native_class_capture(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                       uint32_t offset);
/* Where a block was written, at least the file; false: not known. */
bool loupe_native_written(const struct loupe_snapshot *snapshot, uint32_t node,
                          struct loupe_written *ret);
/* Whether objects of a class are called after a function: blocks, what closures captured. */
bool loupe_native_class_has_function(const struct loupe_snapshot *snapshot, uint32_t class_number);
/* The same of all blocks of a class, where either text may be empty. */
bool loupe_native_class_written(const struct loupe_snapshot *snapshot, uint32_t class_number,
                                struct loupe_written *ret);
/* Where the ivar of a label was declared: file and line; false: not known, or it is no ivar's. */
bool loupe_native_declared(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                           struct loupe_written *ret);
/* The same of a field, or of the ivar that it is a member of: "st.x", "a[1]". */
bool loupe_native_field_declared(const struct loupe_snapshot *snapshot,
                                 const struct loupe_field *field, struct loupe_written *ret);
/* What of a field's name is the ivar's. */
struct loupe_span loupe_ivar_of_field(struct loupe_span name);
/* The ivar that is a pointer of C at the place of a word that nothing describes, and the class that
 * declares it; NULL: the node has none there. */
const struct loupe_pointer_ivar *loupe_native_pointer(const struct loupe_snapshot *snapshot,
                                                      uint32_t node, uint32_t link);
/* The variable at the place of a root, and where it is declared, each perhaps empty; false: nothing
 * is known. */
bool loupe_native_root_name(const struct loupe_snapshot *snapshot, uint32_t root,
                            const char **name_ret, const char **where_ret);
/* The number that a debugger gave to a thread of the snapshot; false: not known. */
bool loupe_native_thread_number(const struct loupe_snapshot *snapshot, uint32_t thread,
                                uint32_t *ret);

#endif
