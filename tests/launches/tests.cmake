wl_test(launch_file wl_launches SQLite::SQLite3)
