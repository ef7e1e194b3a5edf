wl_test(instrument wl_diagnosis wl_gpu fmt::fmt)
target_compile_definitions(instrument_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
