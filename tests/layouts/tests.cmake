wl_test(layouts wl_layouts)
wl_test(matrix wl_layouts)
