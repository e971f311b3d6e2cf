# loupe_clang_folder(COMPILER VARIABLE): sets VARIABLE to the folder of a clang and of what came with it, its
# linkers, llvm-nm, llvm-addr2line. The compiler is asked: its own path may be that of a compiler cache.
function(loupe_clang_folder compiler variable)
  execute_process(COMMAND ${compiler} -print-resource-dir
    OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(folder "${resources}/../../../bin" ABSOLUTE)
  set(${variable} ${folder} PARENT_SCOPE)
endfunction()

loupe_clang_folder(${CMAKE_OBJC_COMPILER} LOUPE_CLANG_TOOLS)
