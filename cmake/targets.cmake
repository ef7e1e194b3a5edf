# How our own targets are compiled. Warnings are errors on them only; other people's headers come in as SYSTEM.
#
# Compile time is most of a first build, so each target gets the optimisation that its run time needs: the emulator's
# lane loops -O3 (instrumentation/emulator/CMakeLists.txt), libraries CMake's Release, -O1 what runs once and is
# mostly templates of parsers: the command line, and -O0 the tests.
# -Wno-restrict: GCC 12 sees overlaps in std::string that are not there (its bug 105651); clang-tidy does not know it.
function(wl_settings name)
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wno-unknown-warning-option
                                           -Wno-restrict -Werror -ffp-contract=off)
    if(WARPLENS_FUZZ)
        target_compile_options(${name} PRIVATE -w) # clang's warnings; GCC's are checked by every other build
    endif()
endfunction()

# For a target that runs once and briefly: a cold build spends its time in the optimiser there.
function(wl_compile_quickly name)
    if(CMAKE_BUILD_TYPE STREQUAL Release)
        target_compile_options(${name} PRIVATE -O1)
    endif()
endfunction()

# For a test: its assertions are compiled for longer than they run.
function(wl_compile_for_one_run name)
    if(CMAKE_BUILD_TYPE STREQUAL Release)
        target_compile_options(${name} PRIVATE -O0)
    endif()
endfunction()

function(wl_library name)
    add_library(${name} STATIC ${ARGN})
    wl_settings(${name})
endfunction()
