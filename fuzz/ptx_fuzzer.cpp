// libFuzzer's entry: any bytes as PTX. `./dev fuzz` builds and runs it.
#include "fuzz/ptx_case.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string problem = wl::fuzz::try_ptx({reinterpret_cast<const char*>(data), size});
    if (!problem.empty()) {
        std::fprintf(stderr, "ptx_fuzzer: %s\n", problem.c_str());
        std::abort();
    }
    return 0;
}
