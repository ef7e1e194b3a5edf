// ptx_docs: prints docs/ptx.md.
#include "instrumentation/ptx/document.h"

#include <cstdio>

int main() {
    const std::string text = wl::ptx::forms_markdown();
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return written && std::fflush(stdout) == 0 ? 0 : 2;
}
