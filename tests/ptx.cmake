wl_test(ptx_parse wl_ptx)
