wl_test(dtype wl_base)
wl_test(text wl_base)

wl_test(layers)
target_compile_definitions(layers_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
