wl_test(travel wl_travel wl_compile)
wl_test(slice wl_travel wl_compile)
wl_test(travel_wait wl_travel wl_compile fmt::fmt)
wl_test(travel_schedule wl_travel wl_compile fmt::fmt)
