// Headers are followed through the quoted includes of the source; what a reference in Python imports beside
// it goes along.
#include "instrumentation/manifest/files.h"

#include "instrumentation/base/text.h"
#include "instrumentation/manifest/manifest.h"

#include <map>
#include <regex>
#include <vector>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

struct Files {
    std::set<fs::path> all;
    std::vector<fs::path> include;
};

bool add(Files& files, const fs::path& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return false;
    return files.all.insert(fs::canonical(path, none)).second;
}

void add_source(Files& files, const fs::path& path) {
    if (!add(files, path)) return;
    static const std::regex kInclude(R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*"([^"]+)")re");
    const std::string text = read_text_file(path.string());
    for (std::sregex_iterator i(text.begin(), text.end(), kInclude), end; i != end; ++i) {
        add_source(files, path.parent_path() / (*i)[1].str());
        for (const fs::path& folder : files.include) add_source(files, folder / (*i)[1].str());
    }
}

// A module, or all of a package.
void add_python(Files& files, const fs::path& path) {
    if (!add(files, path)) return;
    static const std::regex kImport(R"re((?:^|\n)[ \t]*(?:from|import)[ \t]+\.?(\w+))re");
    const std::string text = read_text_file(path.string());
    for (std::sregex_iterator i(text.begin(), text.end(), kImport), end; i != end; ++i) {
        const fs::path module = path.parent_path() / (*i)[1].str();
        add_python(files, module.string() + ".py");
        std::error_code none;
        if (!fs::is_regular_file(module / "__init__.py", none)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(module, none))
            if (entry.path().extension() == ".py") add_python(files, entry.path());
    }
}

void add_fills(Files& files, const std::vector<Argument>& args, const fs::path& folder) {
    for (const Argument& a : args) {
        if (a.fill.ends_with(".npy") || a.fill.ends_with(".npz")) add(files, folder / a.fill);
        add_fills(files, a.fields, folder);
    }
}

// Of a reference that is a kernel, all that it needs itself.
void add_kernel(Files& files, const std::string& path) {
    if (!add(files, path)) return;
    const Kernel kernel = load(path);
    const fs::path folder = fs::path(path).parent_path();
    for (const std::string& include : kernel.include) files.include.emplace_back(include);
    add_source(files, kernel.source);
    add_fills(files, kernel.args, folder);
    add_fills(files, kernel.symbols, folder);
    using Kind = ReferenceRule::Kind;
    if (kernel.reference.kind == Kind::python) add_python(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::npz) add(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::kernel) add_kernel(files, kernel.reference.target);
}

}  // namespace

std::set<fs::path> files_of(const std::string& toml) {
    Files files;
    add_kernel(files, toml);
    return files.all;
}

std::string content_of(const std::string& path) {
    if (fs::path(path).extension() != ".toml") return sha256_hex(read_text_file(path));
    const fs::path folder = fs::canonical(path).parent_path();
    std::map<std::string, std::string> contents;
    for (const fs::path& file : files_of(path))
        contents[file.lexically_relative(folder).string()] = sha256_hex(read_text_file(file.string()));
    std::string all;
    for (const auto& [name, content] : contents)
        all.append(name).append(1, '\0').append(content).append(1, '\n');
    return sha256_hex(all);
}

}  // namespace wl::manifest
