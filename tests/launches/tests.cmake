wl_test(launch_file wl_launches SQLite::SQLite3)
target_sources(launch_file_test PRIVATE launches/recorder_test.cpp)
wl_test(joined wl_launches)
wl_program_test(launch_replay wl_launches nlohmann_json::nlohmann_json)
wl_test(launch_record wl_launches nlohmann_json::nlohmann_json)
target_sources(launch_record_test PRIVATE support/program.cpp)
target_compile_definitions(
    launch_record_test
    PRIVATE WL_PROGRAM="$<TARGET_FILE:warplens>" WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}" WL_DRIVER_FOLDER="$<TARGET_FILE_DIR:emulated_driver>")
add_dependencies(launch_record_test warplens emulated_driver)
