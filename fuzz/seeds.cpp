#include "fuzz/seeds.h"

#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

namespace wl::fuzz {

std::string seed_path(const std::string& name) {
    const char* folder = std::getenv("WARPLENS_FUZZ_SEEDS");
    return std::string(folder != nullptr ? folder : WL_SEEDS) + "/" + name;
}

std::string text_of_seed(const std::string& name) { return read_text_file(seed_path(name)); }

void without_clocks(capture::Capture& capture) {
    capture.created = "2026-01-01T00:00:00Z";
    for (auto& [stage, seconds] : capture.seconds) seconds = 1;
}

capture::Capture captured(const std::string& manifest) {
    diagnosis::Options options;
    options.threads = 1;
    options.record = {0};
    manifest::Problem problem = manifest::bind(manifest::load(manifest), {});
    if (count(manifest::launch_of(problem).grid) > 1) options.record.push_back(1);
    capture::Capture made = diagnosis::run(std::move(problem), options);
    without_clocks(made);
    return made;
}

const std::string& scratch_folder() {
    static const struct Folder {
        std::string path;
        pid_t owner = getpid();
        Folder() {
            const bool in_memory = std::filesystem::is_directory("/dev/shm");
            path = std::string(in_memory ? "/dev/shm" : "/tmp") + "/warplens-fuzz-XXXXXX";
            if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for mutants");
        }
        ~Folder() {
            std::error_code none;
            if (owner == getpid()) std::filesystem::remove_all(path, none);
        }
    } kFolder;
    return kFolder.path;
}

}  // namespace wl::fuzz
