/* Included before everything that is compiled to be counted: LLVM then asks for no runtime of its
 * own. */
extern int __llvm_profile_runtime __attribute__((weak, visibility("hidden")));
int __llvm_profile_runtime;
