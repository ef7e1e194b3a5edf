# The Python package over the program of this build, its doctests among them, and its wheel.
set(environment "WARPLENS_PROGRAM=$<TARGET_FILE:warplens>" "PYTHONPATH=${PROJECT_SOURCE_DIR}/python")
if(CMAKE_BUILD_TYPE STREQUAL Release)
    list(APPEND environment "WL_BUILD=${PROJECT_BINARY_DIR}")
endif()
add_test(NAME python COMMAND ${WARPLENS_PYTHON} -m unittest discover -s ${CMAKE_CURRENT_LIST_DIR} -p "*_test.py")
set_tests_properties(python PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}")
