# A synthetic capture, for every test that looks at one.
wl_library(wl_synthetic_capture support/synthetic_capture.cpp)
target_link_libraries(wl_synthetic_capture PUBLIC wl_capture)

wl_test(blobs wl_synthetic_capture)
wl_test(capture_file wl_synthetic_capture SQLite::SQLite3)

add_executable(write_synthetic_capture support/write_synthetic_capture.cpp)
wl_settings(write_synthetic_capture)
target_link_libraries(write_synthetic_capture PRIVATE wl_synthetic_capture)
