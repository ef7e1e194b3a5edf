wl_test(reference wl_analysis)
wl_test(diff wl_analysis)
