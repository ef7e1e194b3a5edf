// Which files a run needs: the kernel's, and those of its inputs.
#include "instrumentation/manifest/files.h"

#include "app/cli/remote/remote.h"
#include "app/worker/trusted.h"
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/manifest.h"

#include <filesystem>
#include <set>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

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
    trust(manifest);  // it was named on the command line
    std::set<fs::path> files = manifest::files_of(manifest);
    const bool npz = o.inputs.ends_with(".npz");
    if (npz && !fs::is_regular_file(o.inputs))
        throw Error("--inputs " + o.inputs + ": there is no such file");
    if (npz) files.insert(fs::canonical(o.inputs));
    Upload out;
    const fs::path folder = common_folder(files);
    out.folder = folder.string();
    for (const fs::path& file : files) out.files.push_back(file.lexically_relative(folder).string());
    out.kernel = fs::canonical(manifest).lexically_relative(folder).string();
    if (npz) out.inputs = fs::canonical(o.inputs).lexically_relative(folder).string();
    return out;
}

}  // namespace wl::app
