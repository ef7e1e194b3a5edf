wl_test(shadow wl_emulator)
wl_test(shadow_access wl_emulator)
wl_test(shadow_oracle wl_emulator)
wl_test(global_runs wl_emulator)
