# Every library from outside, found once. Debian packages by their own CMake or pkg-config files; Dear ImGui (with
# ImPlot and GLFW) and NVRTC from the wheels that ./dev unpacks into .env/wheels. Why each: docs/dependencies.md.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(SQLite3 3.35 REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(DW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(ZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
find_package(OpenGL REQUIRED COMPONENTS OpenGL EGL)

set(WARPLENS_WHEELS ${PROJECT_SOURCE_DIR}/.env/wheels CACHE PATH "where ./dev unpacked the wheels")
set(WARPLENS_CUDA ${WARPLENS_WHEELS}/nvidia/cu13)  # lib/libnvrtc.so.13, include/, bin/{nvcc,ptxas,nvdisasm}
set(WARPLENS_PYTHON ${PROJECT_SOURCE_DIR}/.env/python/bin/python3)  # has numpy

set(imgui_root ${WARPLENS_WHEELS}/imgui/install)
if(NOT EXISTS ${imgui_root}/lib/libimgui.a)
    message(FATAL_ERROR "Dear ImGui is missing: ${imgui_root}/lib/libimgui.a. Run ./dev setup once; it unpacks it.")
endif()

# Dear ImGui 1.92 (docking), ImPlot, their GLFW and OpenGL 3 back ends, GLFW 3.4. GLFW opens X11 or Wayland at run time.
add_library(wl_imgui INTERFACE)
target_include_directories(wl_imgui SYSTEM INTERFACE ${imgui_root}/include)
target_link_libraries(
    wl_imgui INTERFACE ${imgui_root}/lib/libimgui.a ${imgui_root}/lib/libglfw3.a OpenGL::OpenGL OpenGL::EGL
                       Threads::Threads ${CMAKE_DL_LIBS})
target_link_options(wl_imgui INTERFACE LINKER:--wrap=glfwGetMonitors)  # app/shell/shell_window.cpp says why
