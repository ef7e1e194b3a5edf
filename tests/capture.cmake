# A synthetic capture, for every test that looks at one.
wl_library(wl_synthetic_capture support/synthetic_capture.cpp)
target_link_libraries(wl_synthetic_capture PUBLIC wl_capture)

wl_test(blobs wl_synthetic_capture)
