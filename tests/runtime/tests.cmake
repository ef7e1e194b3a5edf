wl_program_test(program_run wl_launches nlohmann_json::nlohmann_json)
target_compile_definitions(program_run_test PRIVATE WL_CUDA="${WARPLENS_CUDA}")
