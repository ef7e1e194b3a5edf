# What `cmake --install` puts where, and packages of it: `./dev package`, `./dev wheel`. The program finds kernels, lessons
# and the probe header by its own place (../share/warplens), and fonts and shaders inside itself.
#
#   program    the program, what it reads, and its place in a desktop's menu: all that a .deb holds
#   libraries  the shared libraries that a machine may lack, for the tarball and the wheel
install(TARGETS warplens COMPONENT program)
set(stand_ins) # in shim/, with install rules of their own
foreach(name cudart cublas cublasLt)
    list(APPEND stand_ins warplens_${name}_12 warplens_${name}_13)
endforeach()
list(APPEND stand_ins warplens_cusparse_12 warplens_curand_10 warplens_cusolver_11 warplens_cusolver_12 warplens_cuda warplens_libcuda warplens_nvjitlink_12 warplens_nvjitlink_13)
add_custom_target(installed DEPENDS warplens warplens_audit ${stand_ins})
install(
    DIRECTORY kernels lessons
    DESTINATION share/warplens
    COMPONENT program
    PATTERN __pycache__ EXCLUDE)
install(FILES instrumentation/probe/warplens.cuh DESTINATION share/warplens/probe COMPONENT program)
install(PROGRAMS ci/check.sh DESTINATION share/warplens/ci COMPONENT program)
install(FILES assets/warplens.desktop DESTINATION share/applications COMPONENT program)
install(FILES assets/warplens.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT program)
install(FILES assets/warplens.png DESTINATION share/icons/hicolor/256x256/apps COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/warplens RENAME copyright COMPONENT program)

# Left to the machine: the C and C++ run-time libraries, which its drivers of OpenGL share with us.
install(
    CODE [[
    file(GET_RUNTIME_DEPENDENCIES
        EXECUTABLES "$<TARGET_FILE:warplens>"
        LIBRARIES "$<TARGET_FILE:warplens_cuda>"
        RESOLVED_DEPENDENCIES_VAR libraries
        PRE_EXCLUDE_REGEXES "^ld-linux" "^libwarplens_cuda" "^lib(c|m|dl|rt|pthread|stdc\\+\\+|gcc_s)\\.so")
    foreach(library ${libraries})
        get_filename_component(real ${library} REALPATH)
        get_filename_component(name ${library} NAME)
        file(INSTALL ${real} DESTINATION "${CMAKE_INSTALL_PREFIX}/lib/warplens" TYPE PROGRAM RENAME ${name})
        execute_process(COMMAND dpkg -S */${name} OUTPUT_VARIABLE package ERROR_QUIET)
        string(REGEX REPLACE ":.*" "" package "${package}")
        if(package AND EXISTS /usr/share/doc/${package}/copyright)
            file(INSTALL /usr/share/doc/${package}/copyright TYPE FILE RENAME ${name}.copyright
                 DESTINATION "${CMAKE_INSTALL_PREFIX}/share/doc/warplens")
        endif()
    endforeach()
    ]]
    COMPONENT libraries)

# DT_RPATH, as DT_RUNPATH is not asked for what those libraries need in turn.
# In the build tree too: CMake else pads the path there with ":", of which the loader makes the current folder (ld.so(8)).
set_target_properties(warplens PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/warplens" BUILD_WITH_INSTALL_RPATH ON)
foreach(target warplens ${stand_ins})
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endforeach()

set(CPACK_PACKAGE_NAME warplens)
set(CPACK_PACKAGE_VENDOR WarpLens)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "debugger and visualiser for CUDA kernels that names the bug; no GPU needed")
set(CPACK_PACKAGE_FILE_NAME warplens-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The WarpLens authors <warplens@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened at run time: a display, OpenGL's driver, NumPy for references in Python.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "libegl-mesa0, libgl1-mesa-dri, libx11-6, libxcursor1, libxi6, libxinerama1, libxkbcommon0, libxrandr2, python3-numpy")
include(CPack)
