foreach(topic marks sass)
    add_test(NAME ${topic} COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/${topic}_test.py)
    set_tests_properties(${topic} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()

add_test(NAME lineage_page COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/lineage_page_test.py)

# Also that scoring.py of bench judges as it says.
add_test(NAME gallery COMMAND ${WARPLENS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/gallery_test.py)
set_tests_properties(gallery PROPERTIES TIMEOUT 300 ENVIRONMENT "WL_PROGRAM=$<TARGET_FILE:warplens>")
