# Every example of the documentation and of --help, run as it stands there.
add_test(NAME examples COMMAND ${WARPLENS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/examples_test.py)
set_tests_properties(examples PROPERTIES TIMEOUT 900 ENVIRONMENT "WL_PROGRAM=$<TARGET_FILE:warplens>")

# Every sentence of docs/trust.md and docs/security.md has its test.
add_test(NAME held COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/held_test.py)

# Links, the index of pages, the repository's own files and licences.
add_test(NAME pages COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/pages_test.py)

# Plain words, in pages and in printed strings.
add_test(NAME words COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/words_test.py)
