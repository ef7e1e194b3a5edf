// Writes the synthetic capture to the path given: for tests that read captures from other languages, and for
// looking at one in the window.
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
    try {
        if (argc != 2 && argc != 3) {
            std::fputs("usage: write_synthetic_capture FILE.wlcap [RECORDED_BLOCK]\n", stderr);
            return 2;
        }
        const int64_t block = argc == 3 ? std::stoll(argv[2]) : 0;
        wl::capture::write_capture(wl::testing::synthetic_capture(block), argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
