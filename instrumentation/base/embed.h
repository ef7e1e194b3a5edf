// A file that travels inside the program, by the assembler's .incbin: WL_EMBED defines a function that
// returns its bytes. The path comes from CMakeLists.txt.
#pragma once

#include <string_view>

#define WL_EMBED(function, symbol, path)                                             \
    asm(".pushsection .rodata\n" #symbol "_begin:\n.incbin \"" path "\"\n" #symbol   \
        "_end:\n.byte 0\n"                                                           \
        ".popsection\n");                                                            \
    extern "C" const char symbol##_begin[];                                          \
    extern "C" const char symbol##_end[];                                            \
    std::string_view function() {                                                    \
        return {symbol##_begin, static_cast<size_t>(symbol##_end - symbol##_begin)}; \
    }
