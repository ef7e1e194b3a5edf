# A synthetic capture, for every test that looks at one.
wl_library(wl_synthetic_capture support/synthetic_capture.cpp)
target_link_libraries(wl_synthetic_capture PUBLIC wl_capture)

wl_test(blobs wl_synthetic_capture)
wl_test(capture_json wl_synthetic_capture nlohmann_json::nlohmann_json)
wl_test(capture_file wl_synthetic_capture SQLite::SQLite3)
target_sources(capture_file_test PRIVATE capture/capture_counts_test.cpp)
wl_test(open_capture wl_synthetic_capture SQLite::SQLite3)

add_executable(write_synthetic_capture support/write_synthetic_capture.cpp)
wl_settings(write_synthetic_capture)
target_link_libraries(write_synthetic_capture PRIVATE wl_synthetic_capture)

# The Python of the documentation, run as it stands there.
set(documents ${PROJECT_SOURCE_DIR}/docs/format.md)
if(EXISTS ${PROJECT_SOURCE_DIR}/README.md)
    list(APPEND documents ${PROJECT_SOURCE_DIR}/README.md)
endif()
add_test(NAME capture_python
         COMMAND ${WARPLENS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/capture_python_test.py $<TARGET_FILE:write_synthetic_capture>
                 ${documents})
wl_program_test(trusted wl_capture wl_launches)
