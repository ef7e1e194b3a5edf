wl_program_test(writers wl_app nlohmann_json::nlohmann_json)
target_sources(writers_test PRIVATE writers/coverage_test.cpp)
