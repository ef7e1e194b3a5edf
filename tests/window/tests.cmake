# The real window on a virtual display.
wl_program_test(element_writes wl_test_window)
wl_program_test(quick_hand wl_test_window)
wl_program_test(drop wl_test_window wl_synthetic_capture)
target_sources(drop_test PRIVATE window/scale_test.cpp)
wl_program_test(every_action wl_test_window)
target_sources(every_action_test PRIVATE window/gestures_test.cpp)
