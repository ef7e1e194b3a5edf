wl_program_test(shared nlohmann_json::nlohmann_json fmt::fmt)
wl_program_test(shared_panel wl_app)
