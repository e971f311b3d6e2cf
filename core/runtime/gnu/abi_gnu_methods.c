/* Lists of methods: GCC's module-abi-8.h, libobjc2's method.h. */
#include "runtime/gnu/abi_gnu.h"

enum { CLASS_METHODS = GNU_CLASS_WORD_COUNT, CLASS_SUBCLASSES = 9 }; /* words of a class */
enum { LIST_NEXT, LIST_COUNT };                                      /* words of a list */
enum { MAX_LISTS = 1 << 12, MAX_METHODS = 1 << 14 };

/* The next list; it tells where the one behind it is. */
static bool begin_list(struct loupe_target *target, const struct gnu_method_form *form,
                       struct loupe_method_cursor *cursor) {
    loupe_addr list = cursor->lists;
    uint32_t count;
    uint64_t size = (uint64_t)form->entry_words * target->memory->machine.pointer_size;
    cursor->lists = 0;
    if (!cursor->lists_left-- ||
        loupe_memory_read_u32(target->memory, abi_word(target, list, LIST_COUNT), &count) ||
        loupe_memory_read_pointer(target->memory, abi_word(target, list, LIST_NEXT),
                                  &cursor->lists) ||
        (form->size_word &&
         loupe_memory_read_word(target->memory, abi_word(target, list, form->size_word), &size)))
        return false;
    cursor->entry = abi_word(target, list, form->first_word);
    cursor->entry_size = (uint32_t)size;
    if (count > MAX_METHODS || size > MAX_METHODS)
        return false;
    cursor->entries_left = count;
    return true;
}

static void read_entry(struct loupe_target *target, const struct gnu_method_form *form,
                       struct loupe_method_cursor *cursor, struct loupe_method *ret) {
    struct loupe_memory *memory = target->memory;
    loupe_addr entry = cursor->entry;
    *ret = (struct loupe_method){.code = 0};
    if (loupe_memory_read_pointer(memory, abi_word(target, entry, form->code_word), &ret->code) ||
        loupe_memory_read_pointer(memory, abi_word(target, entry, form->types_word), &ret->types) ||
        loupe_memory_read_pointer(memory, abi_word(target, entry, form->selector_word),
                                  &ret->selector))
        cursor->damaged = true;
}

bool gnu_next_method(struct loupe_target *target, loupe_addr cls,
                     const struct gnu_method_form *form, struct loupe_method_cursor *cursor,
                     struct loupe_method *ret) {
    if (!cursor->begun) {
        cursor->begun = true;
        cursor->lists_left = MAX_LISTS;
        cursor->damaged = loupe_memory_read_pointer(
            target->memory, abi_word(target, cls, CLASS_METHODS), &cursor->lists);
    }
    while (!cursor->entries_left) {
        if (!cursor->lists)
            return false;
        cursor->damaged |= !begin_list(target, form, cursor);
    }
    read_entry(target, form, cursor, ret);
    cursor->entry += cursor->entry_size;
    cursor->entries_left--;
    return true;
}

unsigned gnu_relatives(struct loupe_target *target, const struct loupe_class *cls,
                       unsigned sibling_word, loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    const unsigned words[] = {CLASS_SUBCLASSES, sibling_word};
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        loupe_addr place = abi_word(target, cls->address, words[i]);
        if (!loupe_memory_read_pointer(target->memory, place, &ret[count]) && ret[count])
            count++;
    }
    return count;
}

bool gnu_is_recorded_release(struct loupe_target *target, struct gnu_recorder *recorder,
                             loupe_addr code) {
    if (!recorder->was_looked_for &&
        loupe_memory_find_symbol(target->memory, "loupe_record_release", &recorder->release))
        recorder->release = 0;
    recorder->was_looked_for = true;
    return recorder->release && code == recorder->release;
}
