add_subdirectory(programs)
wl_test(programs wl_programs wl_conformance fmt::fmt)
target_compile_definitions(programs_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
