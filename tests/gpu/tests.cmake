foreach(topic instrument recording)
    wl_test(${topic} wl_diagnosis wl_gpu fmt::fmt)
    target_sources(${topic}_test PRIVATE gpu/instrumented.cpp)
    target_compile_definitions(${topic}_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endforeach()

# A driver over an emulated device, in a folder of its own: tests put it on the path of libraries.
add_library(emulated_driver SHARED gpu/driver/driver.cpp)
wl_settings(emulated_driver)
set_target_properties(emulated_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver)
target_link_libraries(emulated_driver PRIVATE wl_emulator)
target_link_options(emulated_driver PRIVATE -Wl,-Bsymbolic,--exclude-libs,ALL)
target_include_directories(emulated_driver SYSTEM PRIVATE ${WARPLENS_CUDA}/include)
