#include "drawn_picture.h"

#include "objects/drawn_collections.h"

static loupe_addr draw_block(struct drawn_world *w, loupe_addr owner) {
    loupe_addr inner = drawn_block_of(w, "s", owner);
    return drawn_block_of(w, "sbrwud", owner, inner, drawn_byref_of(w, 3, owner), owner, owner,
                          (loupe_addr)42);
}

/* Collections in collections, and the owner in the innermost of each kind. */
static loupe_addr draw_collections(struct drawn_world *w, loupe_addr owner) {
    loupe_addr key = drawn_text(w, "owner");
    return drawn_array(
        w, 9, drawn_mutable_array(w, 2, owner, drawn_wrapped_array(w, 2, owner, key)),
        drawn_set_of(w, 2, owner, drawn_mutable_set(w, 1, owner)),
        drawn_dictionary(w, 2, key, owner, owner, drawn_single_dictionary(w, key, owner)),
        drawn_mutable_dictionary(w, 1, key, drawn_single_array(w, owner)),
        drawn_cf_array(w, true, 1, 2, owner, drawn_cf_array(w, false, 3, 1, owner)),
        drawn_cf_dictionary(w, 3, 3, 1, key, drawn_cf_set(w, 3, 1, owner)),
        drawn_map_table(w, true, true, 1, key, drawn_hash_table(w, true, 1, owner)),
        drawn_target_timer(w, owner, owner), drawn_block_timer(w, drawn_block_of(w, "s", owner)));
}

static void draw_classes(struct drawn_world *w) {
    drawn_class(w, "Base", "NSObject", "strong _base @; none _c c");
    drawn_class(
        w, "Owner", "Base",
        "strong _handler @?; s.ws _st {S=\"o\"@\"n\"q\"w\"@\"in\"{T=\"o\"@}}; strong _a [2@];"
        "weak _delegate @; strong _collections @; strong _manual @; strong _number @");
    drawn_class(w, "CxxOwner", "Base", "..s _cxx {D=\"_vptr$B\"^^?\"base\"@\"own\"@}");
    drawn_put_ro_number(w, "CxxOwner", 0, 0x84);
    w->manual = true;
    drawn_class(w, "Manual", "NSObject", "none _kept @; none _assigned @; none _bits b5");
    drawn_properties(w, "Manual", "kept T@,&,N,V_kept; assigned T@,N,V_assigned");
    w->manual = false;
}

void drawn_picture_init(struct drawn_picture *picture, enum drawn_form form) {
    struct drawn_world *w = &picture->world;
    drawn_world_init(w, &picture->heap, form);
    draw_classes(w);
    loupe_addr owner = drawn_object(w, "Owner"), manual = drawn_object(w, "Manual"),
               cxx = drawn_object(w, "CxxOwner");
    picture->seed = owner;
    picture->block = draw_block(w, owner);
    drawn_set(w, owner, "_base", cxx);
    drawn_set(w, owner, "_handler", picture->block);
    for (unsigned i = 0; i < 4; i++)
        drawn_set_word(w, owner, "_st", i, owner);
    drawn_set_word(w, owner, "_a", 1, manual);
    drawn_set(w, owner, "_delegate", owner);
    drawn_set(w, owner, "_manual", manual);
    drawn_set(w, manual, "_kept", owner);
    drawn_set(w, manual, "_assigned", owner);
    drawn_set_word(w, cxx, "_cxx", 1, owner);
    drawn_set_word(w, cxx, "_cxx", 2, owner);
    if (picture->heap.machine.pointer_size == 8) {
        drawn_set(w, owner, "_number", form == DRAWN_X86_64 ? 0x2a7 : (uint64_t)1 << 63);
        drawn_set(w, owner, "_collections", draw_collections(w, owner));
    }
    drawn_associate(w, owner, drawn_string(w->heap, "key"), 0x301, manual);
    drawn_associate(w, cxx, 0, 0x303, picture->block);
    drawn_set_count(w, owner, 12, 30);
    drawn_make_raw(w, manual);
    drawn_set_count(w, manual, 0, 4);
}
