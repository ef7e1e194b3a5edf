wl_test(shadow_oracle wl_emulator)
