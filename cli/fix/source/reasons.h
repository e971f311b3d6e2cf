/*
 * reasons.h - why a change is left to people, where several rewrites have the same reason.
 */
#ifndef LOUPE_CLI_FIX_REASONS_H
#define LOUPE_CLI_FIX_REASONS_H

#define FIX_LINE_TOO_FAR       "its line begins too far to the right"
#define FIX_VALUE_UNCLEAR      "what is put into it is not understood"
#define FIX_VALUE_UNOWNED      "what is put into it may have no other owner"
#define FIX_ATTRIBUTE_UNKNOWN  "it has an attribute that is not known"
#define FIX_IS_MACRO           "a word of it is a macro"
#define FIX_DECLARED_WITH_MORE "others are declared with it"
#define FIX_NAME_SHADOWED      "another variable has its name"
#define FIX_PROPERTY_UNENDED   "a property there has no end"
#define FIX_RETURN_DECLARED    "it says what it gives back"
#define FIX_NOT_A_VARIABLE     "%s is not the name of a variable"
#define FIX_BLOCK_NOWHERE      "the answer does not say where the block was written"

#endif
