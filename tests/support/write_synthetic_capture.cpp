// Writes the synthetic capture to the path given: for tests that read captures from other languages, and for
// looking at one in the window.
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    try {
        if (argc != 2) return std::fputs("usage: write_synthetic_capture FILE.wlcap\n", stderr), 2;
        wl::capture::write_capture(wl::testing::synthetic_capture(), argv[1]);
        return 0;
    } catch (const std::exception& error) { return std::fprintf(stderr, "%s\n", error.what()), 2; }
}
