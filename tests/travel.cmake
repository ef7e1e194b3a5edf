wl_test(travel wl_travel wl_compile)
