/* Classes of the system, by the prefixes of their names. */
#include "cycles/system_classes.h"

#include "swift/metadata.h"

#include <string.h>

static bool is_upper(char letter) {
    return letter >= 'A' && letter <= 'Z';
}

/* Most names begin with another letter. */
static bool begins(struct loupe_span name, const char *prefix) {
    return name.length && name.bytes[0] == prefix[0] && loupe_span_starts_with(name, prefix);
}

static bool takes_away(struct loupe_span *name, const char *prefix) {
    if (!begins(*name, prefix))
        return false;
    name->bytes += strlen(prefix);
    name->length -= strlen(prefix);
    return true;
}

/* Without what marks a class as private, and the class that key-value observing puts before it. */
static struct loupe_span bare_name(struct loupe_span name) {
    takes_away(&name, "NSKVONotifying_");
    while (takes_away(&name, "_"))
        continue;
    return name;
}

/* Storage of collections, and what closures captured. */
static bool is_of_swift(struct loupe_span name) {
    static const char *const names[] = {LOUPE_SWIFT_VARIABLE_BOX, LOUPE_SWIFT_VALUE_BOX,
                                        LOUPE_SWIFT_FRAMES, LOUPE_SWIFT_ERROR_BOX};
    bool found = begins(name, "Swift._") || begins(name, "closure ");
    for (size_t i = 0; !found && i < sizeof(names) / sizeof(*names); i++)
        found = begins(name, names[i]) && loupe_span_equals(name, names[i]);
    return found;
}

bool loupe_is_class_of_foundation(struct loupe_span name) {
    if (is_of_swift(name))
        return true;
    name = bare_name(name);
    return (takes_away(&name, "NS") || takes_away(&name, "GS")) && name.length &&
           is_upper(name.bytes[0]);
}

/* Most names are of another length, or end otherwise. */
bool loupe_is_undo_manager(struct loupe_span name) {
    static const char bare[] = "NSUndoManager";
    const size_t length = sizeof(bare) - 1;
    return name.length >= length && memcmp(name.bytes + name.length - length, bare, length) == 0 &&
           bare_name(name).length == length;
}

bool loupe_is_part_of_undo_manager(struct loupe_span name) {
    return (begins(name, "P") && loupe_span_equals(name, "PrivateUndoGroup")) ||
           loupe_is_class_of_foundation(name);
}

/* Other prefixes of Apple's libraries. To add one, add a line. */
static const char *const system_prefixes[] = {"UI", "CA", "CF", "AV", "WK"};

bool loupe_is_class_of_system(struct loupe_span name) {
    struct loupe_span rest = bare_name(name);
    bool found = false;
    for (size_t i = 0; !found && i < sizeof(system_prefixes) / sizeof(*system_prefixes); i++)
        found = takes_away(&rest, system_prefixes[i]);
    return loupe_is_class_of_foundation(name) ||
           (found && rest.length > 1 && is_upper(rest.bytes[0]) && rest.bytes[1] != '_' &&
            !is_upper(rest.bytes[1]));
}

bool loupe_is_class_of_closure(struct loupe_span name) {
    static const char *const parts[] = {"{lambda", "(std::function)", "std::_Bind", "::__bind"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (loupe_span_contains(name, parts[i]))
            return true;
    }
    return false;
}

bool loupe_is_class_of_memory(struct loupe_span name) {
    static const char mark[] = "(by its shape)";
    size_t length = sizeof(mark) - 1;
    return loupe_span_starts_with(name, "(raw memory)") ||
           (name.length > length && memcmp(name.bytes + name.length - length, mark, length) == 0);
}
