wl_test(ptx_parse wl_ptx)
wl_test(ptx_print wl_ptx)
wl_test(ptx_table wl_ptx)
target_compile_definitions(ptx_print_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
