# Every lesson as a student goes through it.
add_test(NAME lessons COMMAND ${WARPLENS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/lessons_test.py)
set_tests_properties(lessons PROPERTIES TIMEOUT 600 ENVIRONMENT "WL_PROGRAM=$<TARGET_FILE:warplens>")
