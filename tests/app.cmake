wl_test(pyramid wl_app)
wl_test(worker wl_app)
