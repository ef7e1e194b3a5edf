wl_program_test(stop)
wl_program_test(sizes)
target_compile_definitions(sizes_test PRIVATE WL_PYTHON="${WARPLENS_PYTHON}")
