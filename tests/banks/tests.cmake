wl_test(banks wl_emulator wl_analysis fmt::fmt)
wl_test(banks_measured wl_emulator wl_compile nlohmann_json::nlohmann_json)
target_compile_definitions(banks_measured_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
