wl_program_test(program_run wl_launches nlohmann_json::nlohmann_json)
target_compile_definitions(program_run_test PRIVATE WL_CUDA="${WARPLENS_CUDA}")

# A program of the driver API as its authors build it: cuda.h and -lcuda, no compiler of NVIDIA's.
add_library(driver_stub SHARED ${CMAKE_CURRENT_LIST_DIR}/driver_stub.cpp)
wl_settings(driver_stub)
target_link_options(driver_stub PRIVATE -Wl,-soname,libcuda.so.1)
set_target_properties(driver_stub PROPERTIES NO_SONAME ON)
add_executable(driver_situations ${CMAKE_CURRENT_LIST_DIR}/driver_situations.cpp)
wl_settings(driver_situations)
wl_compile_quickly(driver_situations)
target_include_directories(driver_situations SYSTEM PRIVATE ${WARPLENS_CUDA}/include)
target_link_libraries(driver_situations PRIVATE driver_stub)
set_target_properties(driver_situations PROPERTIES SKIP_BUILD_RPATH ON)

wl_program_test(driver_run nlohmann_json::nlohmann_json)
target_compile_definitions(driver_run_test PRIVATE WL_DRIVER_PROGRAM="$<TARGET_FILE:driver_situations>")
add_dependencies(driver_run_test driver_situations)
