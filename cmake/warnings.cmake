# Warnings are errors on our own targets only; other people's headers come in as SYSTEM.
function(wl_library name)
    add_library(${name} STATIC ${ARGN})
    wl_settings(${name})
endfunction()

# -Wno-restrict: GCC 12 sees overlaps in std::string that are not there (its bug 105651); clang-tidy does not know it.
function(wl_settings name)
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-warning-option
                                           -Wno-restrict -Werror -ffp-contract=off)
    if(WARPLENS_FUZZ)
        target_compile_options(${name} PRIVATE -w) # clang's warnings; GCC's are checked by every other build
    endif()
endfunction()
