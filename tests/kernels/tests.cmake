foreach(topic marks sass)
    add_test(NAME ${topic} COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/${topic}_test.py)
    set_tests_properties(${topic} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endforeach()

add_test(NAME lineage_page COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/lineage_page_test.py)
