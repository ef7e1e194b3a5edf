// Writes the synthetic capture to the path given: for tests that read captures from other languages, and for
// looking at one in the window.
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/parts.h"
#include "tests/support/synthetic_capture.h"

#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
    try {
        if (argc < 2 || argc > 4) {
            std::fputs(
                "usage: write_synthetic_capture FILE.wlcap [RECORDED_BLOCK [BYTES_IN_A_ROW]]\n", stderr
            );
            return 2;
        }
        namespace capture = wl::capture;
        const int64_t block = argc > 2 ? std::stoll(argv[2]) : 0;
        const uint64_t most = argc > 3 ? std::stoull(argv[3]) : capture::kMostInRow;
        capture::write_in_rows(wl::testing::synthetic_capture(block), argv[1], capture::kMostInMemory, most);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
