// Which files a run needs. Headers are followed through the quoted includes of the source; what a reference
// in Python imports beside it goes along.
#include "app/cli/remote/remote.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/manifest.h"

#include <filesystem>
#include <regex>
#include <set>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct Files {
    std::set<fs::path> all;  // absolute, without links
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

void add_python(Files& files, const fs::path& path) {
    if (!add(files, path)) return;
    static const std::regex kImport(R"re((?:^|\n)[ \t]*(?:from|import)[ \t]+(\w+))re");
    const std::string text = read_text_file(path.string());
    for (std::sregex_iterator i(text.begin(), text.end(), kImport), end; i != end; ++i)
        add_python(files, path.parent_path() / ((*i)[1].str() + ".py"));
}

void add_fills(Files& files, const std::vector<manifest::Argument>& args, const fs::path& folder) {
    for (const manifest::Argument& a : args) {
        if (a.fill.ends_with(".npy") || a.fill.ends_with(".npz")) add(files, folder / a.fill);
        add_fills(files, a.fields, folder);
    }
}

// Of a reference that is a kernel, all that it needs itself.
void add_kernel(Files& files, const std::string& path) {
    if (!add(files, path)) return;
    const manifest::Kernel kernel = manifest::load(path);
    const fs::path folder = fs::path(path).parent_path();
    for (const std::string& include : kernel.include) files.include.emplace_back(include);
    add_source(files, kernel.source);
    add_fills(files, kernel.args, folder);
    add_fills(files, kernel.symbols, folder);
    using Kind = manifest::ReferenceRule::Kind;
    if (kernel.reference.kind == Kind::python) add_python(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::npz) add(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::kernel) add_kernel(files, kernel.reference.target);
}

fs::path common_folder(const std::set<fs::path>& all) {
    fs::path common = all.begin()->parent_path();
    for (const fs::path& file : all)
        while (*file.lexically_relative(common).begin() == "..") common = common.parent_path();
    return common;
}

}  // namespace

Upload upload_of(const KernelOptions& given) {
    const KernelOptions o = split_faults(given);
    const std::string manifest = manifest::resolve(o.kernel);
    Files files;
    add_kernel(files, manifest);
    const bool npz = o.inputs.ends_with(".npz");
    if (npz && !add(files, o.inputs) && !fs::exists(o.inputs))
        throw Error("--inputs " + o.inputs + ": there is no such file");
    Upload out;
    const fs::path folder = common_folder(files.all);
    out.folder = folder.string();
    for (const fs::path& file : files.all) out.files.push_back(file.lexically_relative(folder).string());
    out.kernel = fs::canonical(manifest).lexically_relative(folder).string();
    if (npz) out.inputs = fs::canonical(o.inputs).lexically_relative(folder).string();
    return out;
}

}  // namespace wl::app
