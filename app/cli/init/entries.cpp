#include "app/cli/init/entries.h"

#include "instrumentation/base/demangle.h"

namespace wl::app {
namespace {

// Not what a library instantiates beside the user's kernels.
bool is_own(const std::string& symbol) {
    const std::string name = demangle(symbol);
    return name.find("cub::") == name.npos && name.find("thrust::") == name.npos;
}

}  // namespace

std::string entry_words(const std::string& symbol) {
    std::string name = demangle(symbol);
    return name.starts_with("void ") ? name.substr(5) : name;
}

std::string entry_key(const CheckReport& report, const std::string& symbol) {
    const std::string whole = entry_words(symbol);
    std::string name = whole.substr(0, whole.find('('));
    int called = 0;
    for (const ptx::Function& f : report.module.functions)
        called += f.is_entry && is_name_of(name, f.name) ? 1 : 0;
    return called > 1 ? whole : name;
}

std::vector<std::string> own_entries(const CheckReport& report) {
    std::vector<std::string> entries;
    for (const emulator::EntryCheck& e : report.entries) {
        const std::string& symbol = report.module.functions[static_cast<size_t>(e.function)].name;
        if (is_entry(report, e) && is_own(symbol)) entries.push_back(symbol);
    }
    return entries;
}

std::string seen_from(const std::filesystem::path& folder, const std::filesystem::path& path) {
    const std::filesystem::path whole = path.lexically_normal(),
                                relative = whole.lexically_relative(folder.lexically_normal());
    return relative.empty() || relative.string().size() > whole.string().size() ? whole.string()
                                                                                : relative.string();
}

}  // namespace wl::app
