wl_test(mutants wl_mutants)
target_compile_definitions(mutants_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
wl_program_test(kills wl_capture)
target_compile_definitions(kills_test PRIVATE WL_SEEDS="${PROJECT_SOURCE_DIR}/fuzz/seeds")
