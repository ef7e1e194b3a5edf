wl_test(watch wl_watch)
