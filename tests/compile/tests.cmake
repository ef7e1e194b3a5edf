wl_test(compile wl_compile)
