wl_test(banks wl_emulator fmt::fmt)
