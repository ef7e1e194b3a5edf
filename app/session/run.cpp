#include "app/session/run.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/text.h"

#include <filesystem>
#include <utility>

namespace wl::app {

std::optional<Broken> broken_by(const Worker& worker) {
    if (worker.complaints.empty()) return std::nullopt;
    Broken broken{worker.complaints, worker.complaints.front().file, ""};
    try {
        broken.text = read_text_file(broken.file);
    } catch (const Error&) { return std::nullopt; }  // an embedded one: the message has to do
    return broken;
}

std::string fix_beside(const std::string& capture) { return capture + ".patch"; }

std::vector<std::string> command_line(
    const KernelOptions& request, const std::string& program, const std::string& capture
) {
    std::vector<std::string> words = {program, "run"};
    KernelOptions told = request;
    constexpr uint64_t kSearch = 6;  // seconds: the verdict is shown before, the causes are there within ten
    if (!told.search) told.search = kSearch;
    const std::vector<std::string> kernel = words_of(told);
    words.insert(words.end(), kernel.begin(), kernel.end());
    words.insert(words.end(), {"-o", capture, "--progress"});
    if (request.host.empty()) words.insert(words.end(), {"--suggest", fix_beside(capture)});
    return words;
}

bool may_run(const Session& session) { return !session.worker || session.purpose == Purpose::causes; }

void end_causes(Session& session) {
    if (!session.worker || session.purpose != Purpose::causes) return;
    const std::string file = session.worker->capture;
    session.worker.reset();
    session.purpose = Purpose::fresh;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
}

void run(Session& session, const KernelOptions& request) {
    const std::string name =
        "warplens-" + std::to_string(own_process()) + "-" + std::to_string(session.loads) + ".wlcap";
    const std::string capture = (std::filesystem::temp_directory_path() / name).string();
    try {
        end_causes(session);
        auto worker = std::make_unique<Worker>();
        start(*worker, command_line(request, session.program, capture), capture);
        session.worker = std::move(worker);
        session.purpose = Purpose::fresh;
        session.broken.reset();
        session.request = request;
        session.message = {"Running " + request.kernel + " in a worker process.", false};
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

}  // namespace wl::app
