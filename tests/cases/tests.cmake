wl_program_test(cases nlohmann_json::nlohmann_json)
