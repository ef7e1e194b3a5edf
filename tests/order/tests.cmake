wl_test(history wl_order)
