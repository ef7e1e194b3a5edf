# The real window on a virtual display.
wl_program_test(element_writes wl_app PkgConfig::STB)
target_sources(element_writes_test PRIVATE support/display.cpp support/png.cpp)
wl_program_test(every_action wl_app PkgConfig::STB)
target_sources(every_action_test PRIVATE window/gestures_test.cpp support/display.cpp support/png.cpp)
