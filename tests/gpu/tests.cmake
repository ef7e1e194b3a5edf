foreach(topic instrument recording)
    wl_test(${topic} wl_diagnosis wl_gpu fmt::fmt)
    target_sources(${topic}_test PRIVATE gpu/instrumented.cpp)
    target_compile_definitions(${topic}_test PRIVATE WL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endforeach()

# A driver over an emulated device, in a folder of its own: tests put it on the path of libraries.
add_library(emulated_driver SHARED gpu/driver/driver.cpp gpu/driver/images.cpp gpu/driver/questions.cpp)
wl_settings(emulated_driver)
set_target_properties(emulated_driver PROPERTIES OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/driver)
target_link_libraries(emulated_driver PRIVATE wl_emulator)
target_link_options(emulated_driver PRIVATE -Wl,-Bsymbolic,--exclude-libs,ALL)
target_include_directories(emulated_driver SYSTEM PRIVATE ${WARPLENS_CUDA}/include)

# Kernels for two witnesses on a machine with a GPU (gpu/bundle.sh takes them along).
add_executable(witness_kernels gpu/witness_kernels.cpp)
wl_settings(witness_kernels)
target_link_libraries(witness_kernels PRIVATE wl_programs wl_conformance wl_manifest fmt::fmt)

# The program above that driver.
foreach(topic device_run device_trials)
    wl_program_test(${topic} nlohmann_json::nlohmann_json)
    target_compile_definitions(${topic}_test PRIVATE WL_DRIVER_FOLDER="$<TARGET_FILE_DIR:emulated_driver>")
    add_dependencies(${topic}_test emulated_driver)
endforeach()

wl_test(isolated_wire wl_gpu)
