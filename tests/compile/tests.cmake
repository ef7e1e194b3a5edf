wl_test(compile wl_compile)
wl_test(reads wl_compile)
wl_test(unit wl_compile)
wl_test(variants wl_compile)
