// Fat binaries are looked for anywhere in the file, so that objects, programs and libraries serve, too.
#include "instrumentation/compile/ptx_file.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/fat_binary.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace wl::compile {
namespace {

struct Found {
    uint32_t architecture = 0;
    std::string ptx;
};

std::string without_zeros(std::string text) {
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
}

// The newest of the containers anywhere in the file; `machine_code` gathers the architectures that there is
// machine code for. Containers do not overlap: one that is read is passed.
Found newest_in(std::string_view file, std::vector<std::string>& machine_code) {
    Found newest;
    size_t next = 0;
    for (size_t at = file.find(kFatBinaryMagic); at != file.npos; at = file.find(kFatBinaryMagic, next)) {
        check_stop();
        next = at + 1;
        if (file.size() - at < 16) break;
        const uint64_t bytes = fat_binary_bytes(file.data() + at);
        if (bytes == 0 || bytes - 16 > file.size() - at) continue;
        const FatBinary binary = read_fat_binary(file.substr(at, bytes));
        if (binary.is_whole) next = at + std::max<size_t>(1, std::min<uint64_t>(bytes, file.size() - at));
        for (const FatEntry& entry : binary.entries) {
            if (!entry.is_ptx)
                machine_code.push_back("sm_" + std::to_string(entry.architecture));
            else if (entry.architecture < newest.architecture)
                continue;
            else if (auto text = ptx_of(entry))
                newest = {entry.architecture, std::move(*text)};
        }
    }
    return newest;
}

}  // namespace

bool is_ptx_file(const std::string& path) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    constexpr std::array kSuffixes = {".ptx", ".cubin", ".fatbin", ".o", ".so"};
    for (const char* known : kSuffixes)
        if (suffix == known) return true;
    return false;
}

std::string newest_ptx(std::string_view file, std::vector<std::string>& machine_code) {
    std::string newest = newest_in(file, machine_code).ptx;
    const bool elf = file.starts_with(
        "\x7f"
        "ELF"
    );
    if (!newest.empty() || elf || file.find(kFatBinaryMagic) != file.npos) return newest;
    return without_zeros(std::string(file));
}

std::string read_ptx_file(const std::string& path) {
    const std::string file = read_text_file(path);
    std::vector<std::string> machine_code;
    std::string ptx = newest_ptx(file, machine_code);
    if (ptx.empty() && !file.empty())
        throw Error(
            path + " holds machine code" + (machine_code.empty() ? "" : " for " + machine_code.front()) +
            " and no PTX, which is what WarpLens runs: build it with -gencode "
            "arch=compute_90,code=compute_90, or "
            "give the .ptx (nvcc --ptx, Triton's kernel.asm['ptx'])"
        );
    return ptx;
}

}  // namespace wl::compile
