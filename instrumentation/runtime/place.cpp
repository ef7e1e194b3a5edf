// By the DWARF of this process's files, read by libdwfl; nothing is looked for outside them.
#include "instrumentation/runtime/place.h"

#include "instrumentation/base/demangle.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace wl::runtime {
namespace {

using Session = std::unique_ptr<Dwfl, void (*)(Dwfl*)>;

// NOLINTNEXTLINE(readability-function-size): the parameters are libdwfl's
int find_no_debuginfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}

// The program, or a library of it.
std::string file_of(uint64_t address) {
    Dl_info info{};
    const auto* at = reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): of code
    if (dladdr(at, &info) == 0 || info.dli_fname == nullptr) return {};
    return std::filesystem::path(info.dli_fname).filename().string();
}

std::string source_of(uint64_t address) {
    static const Dwfl_Callbacks kCallbacks{dwfl_linux_proc_find_elf, find_no_debuginfo, nullptr, nullptr};
    const Session session(dwfl_begin(&kCallbacks), dwfl_end);
    if (session == nullptr || dwfl_linux_proc_report(session.get(), getpid()) != 0 ||
        dwfl_report_end(session.get(), nullptr, nullptr) != 0)
        return {};
    Dwfl_Module* const module = dwfl_addrmodule(session.get(), address);
    Dwfl_Line* const line = module == nullptr ? nullptr : dwfl_module_getsrc(module, address);
    int number = 0;
    const char* file =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    const char* function = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
    if (file == nullptr && function == nullptr) return {};
    if (file == nullptr) return fmt::format("{} in {}", demangle(function), file_of(address));
    return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), number);
}

}  // namespace

std::string place_of(const void* at) {
    if (at == nullptr) return {};
    const uint64_t call = reinterpret_cast<uint64_t>(at) - 1;
    const std::string source = source_of(call);
    return source.empty() ? file_of(call) : source;
}

}  // namespace wl::runtime
