/*
 * umbrella.c - libSystem.B itself, which has nothing but what its parts export.
 */
const char libSystem_is_a_double = 1;
