add_subdirectory(conformance)
wl_test(conformance wl_conformance fmt::fmt)
target_compile_definitions(conformance_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
