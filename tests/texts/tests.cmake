# Texts of files where terminals, browsers and build servers read them.
add_executable(hostile_capture texts/hostile_capture.cpp)
wl_settings(hostile_capture)
target_link_libraries(hostile_capture PRIVATE wl_synthetic_capture SQLite::SQLite3)
foreach(topic hostile_texts files)
    add_test(NAME ${topic} COMMAND ${WARPLENS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/${topic}_test.py)
    set_tests_properties(
        ${topic} PROPERTIES TIMEOUT 300 ENVIRONMENT
                 "WL_PROGRAM=$<TARGET_FILE:warplens>;WL_HOSTILE_CAPTURE=$<TARGET_FILE:hostile_capture>")
endforeach()
wl_test(drawing wl_app)
wl_test(visible wl_base)
target_compile_definitions(visible_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
