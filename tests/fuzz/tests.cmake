wl_test(mutants wl_mutants)
wl_program_test(kills wl_capture)
target_compile_definitions(kills_test PRIVATE WL_SEEDS="${PROJECT_SOURCE_DIR}/fuzz/seeds")
