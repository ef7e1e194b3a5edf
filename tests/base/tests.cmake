wl_test(dtype wl_base)
wl_test(anchors wl_base)
wl_test(process wl_base)
wl_test(text wl_base)
wl_test(memory_limit wl_base)
wl_test(device_limits wl_base)
wl_test(fragment_layout wl_base nlohmann_json::nlohmann_json)
target_compile_definitions(fragment_layout_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

wl_test(cycles)
target_compile_definitions(cycles_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

wl_test(layers)
target_compile_definitions(layers_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")

wl_test(limits)
target_compile_definitions(limits_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
wl_program_test(hostile_names wl_base fmt::fmt)
