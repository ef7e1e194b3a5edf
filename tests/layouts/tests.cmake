wl_test(layouts wl_layouts)
