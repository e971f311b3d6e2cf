/*
 * Stands in for Apple's libobjc in the Mach-O core: the variables that a reader of memory looks
 * for, under their names, and what the linker wants to find for screen.m. No code of it ever runs.
 * scene.py fills in the values.
 */
#include <stdint.h>

uint64_t objc_debug_isa_class_mask, objc_debug_isa_magic_mask, objc_debug_isa_magic_value;
uint64_t objc_debug_taggedpointer_mask, objc_debug_class_rw_data_mask;
uint64_t objc_debug_taggedpointer_obfuscator;
uint32_t objc_debug_taggedpointer_slot_shift;
uint8_t objc_debug_tag60_permutations[8];
uint64_t objc_debug_side_tables_map, objc_debug_autoreleasepoolpage_ptr_mask;
uint32_t objc_class_abi_version;

/* Block classes: the first word of each is replaced by that of the class it is to be. */
uint64_t _NSConcreteStackBlock[32], _NSConcreteMallocBlock[32], _NSConcreteGlobalBlock[32];

/* objc::AssociationsManager::_mapStorage, a local symbol as in Apple's library. */
static uint64_t map_storage[3] __asm("__ZN4objc19AssociationsManager11_mapStorageE")
    __attribute__((used));

#define RUNTIME_FUNCTION(name)                                                                     \
    void stand_in_##name(void) __asm("_" #name);                                                   \
    void stand_in_##name(void) {}

RUNTIME_FUNCTION(_Block_object_assign)
RUNTIME_FUNCTION(_Block_object_dispose)
RUNTIME_FUNCTION(objc_copyWeak)
RUNTIME_FUNCTION(objc_destroyWeak)
RUNTIME_FUNCTION(objc_initWeak)
RUNTIME_FUNCTION(objc_loadWeakRetained)
RUNTIME_FUNCTION(objc_release)
RUNTIME_FUNCTION(objc_retain)
RUNTIME_FUNCTION(objc_retainBlock)
RUNTIME_FUNCTION(objc_storeStrong)
RUNTIME_FUNCTION(_objc_empty_cache)

void stand_in_binder(void) __asm("dyld_stub_binder");
void stand_in_binder(void) {}
