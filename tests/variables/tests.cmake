wl_test(variables wl_variables wl_compile)
target_compile_definitions(variables_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
