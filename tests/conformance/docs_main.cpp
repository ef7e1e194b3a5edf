// ptx_docs: prints docs/ptx.md.
#include "tests/conformance/proof.h"

#include <cstdio>
#include <exception>

int main() {
    try {
        const std::string text = wl::conformance::document(WL_SOURCE_DIR "/tests/golden/ptx");
        const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
        return written && std::fflush(stdout) == 0 ? 0 : 2;
    } catch (const std::exception& e) { return std::fprintf(stderr, "ptx_docs: %s\n", e.what()), 2; }
}
