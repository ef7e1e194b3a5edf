wl_program_test(init nlohmann_json::nlohmann_json)
target_sources(init_test PRIVATE init/init_source_test.cpp)
