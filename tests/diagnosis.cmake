wl_test(golden wl_diagnosis)
target_compile_definitions(golden_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
wl_test(edit wl_diagnosis)
wl_test(trial wl_diagnosis)
