// One loop over a socket: processes of the program come, ask and tell; it ends with the program.
#include "app/cli/record/record_program.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/os/leftovers.h"
#include "instrumentation/base/os/path_list.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/signals.h"
#include "instrumentation/recorder/wire.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace wl::app {
namespace {

namespace fs = std::filesystem;
using recorder::Tag;

constexpr const char* kLibrary = "libwarplens_record.so";

std::string library_path() {
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& path : {program / kLibrary, program.parent_path() / "lib/warplens" / kLibrary})
        if (fs::exists(path, ignored)) return path.string();
    throw Error(fmt::format(
        "{} is neither beside the program {} nor in lib/warplens; build or install WarpLens again",
        kLibrary,
        program.string()
    ));
}

// A folder that only this user can look into, with the socket in it; gone with the value.
struct Meeting {
    std::string folder = make_private_folder("warplens");
    std::string path = folder + "/socket";
    int listener = -1;

    Meeting() { listener = listen_at(path); }
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting() {
        close_descriptor(listener);
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
};

// CuPy and others are told to keep to PTX where they have a word for it, and not to take machine code out of
// caches.
std::vector<std::pair<std::string, std::string>> environment_for(
    const Meeting& meeting, const std::string& library
) {
    std::vector<std::pair<std::string, std::string>> set{
        {"LD_PRELOAD", in_front(library, "LD_PRELOAD", ": ")},
        {recorder::kSocketVariable,       meeting.path                      }
    };
    for (const char* name : {"CUPY_COMPILE_WITH_PTX", "CUPY_CACHE_IN_MEMORY"})
        if (std::getenv(name) == nullptr) set.emplace_back(name, "1");
    return set;
}

struct Connection {
    int socket = -1;
    launches::Receiving launch;
};

struct Server {
    const RecordOptions& options;
    const std::function<void(launches::Receiving&)>& keep;
    RecordedProgram out;
    std::vector<Connection> open;

    void settle(Connection& c) {
        if (!c.launch.begun || out.launch) return;
        launches::complete(c.launch);
        if (c.launch.problem.empty()) keep(c.launch);
        out.launch = std::move(c.launch);
    }

    recorder::Packet answer_hello() const {
        const bool counts = options.kernel.empty() && options.launch == 0;
        return recorder::Packet{}
            .number(counts ? 0 : std::max<uint64_t>(options.launch, 1))
            .number(options.limit * 1'000'000);
    }

    // False: the connection is over.
    bool serve(Connection& c) {
        const std::optional<recorder::Message> message = recorder::receive(c.socket);
        if (!message) return false;
        recorder::Unpacker words{message->bytes};
        std::optional<recorder::Packet> answer;
        if (message->tag == Tag::hello) {
            out.met = true;
            answer = answer_hello();
        } else if (message->tag == Tag::kernel) {
            answer = recorder::Packet{}.number(is_meant(options, words.text()) ? 1 : 0);
        } else if (message->tag == Tag::count) {
            const std::string name = words.text();
            out.counts[name] += words.number();
        } else if (message->tag == Tag::begin && out.launch) {
            answer = recorder::Packet{}.number(0);
        } else {
            answer = launches::take(c.launch, *message);
        }
        if (c.launch.ended || !c.launch.problem.empty()) settle(c);
        return !answer || recorder::send(c.socket, message->tag, *answer);
    }

    // Whether something came.
    bool turn(int listener, int milliseconds) {
        std::vector<Watched> waits{{listener}};
        for (const Connection& c : open) waits.push_back({c.socket});
        if (!wait_for_any(waits, milliseconds)) return false;
        for (size_t i = open.size(); i-- > 0;) {
            if (!waits[i + 1].ready || serve(open[i])) continue;
            settle(open[i]);
            close_descriptor(open[i].socket);
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        }
        if (waits[0].ready)
            if (const int made = accept_from(listener); made >= 0) open.push_back({made, {}});
        return true;
    }
};

}  // namespace

std::string bare_name(const std::string& kernel) {
    constexpr std::string_view kNameless = "(anonymous namespace)::";
    std::string name = demangle(kernel);
    for (size_t at = name.find(kNameless); at != std::string::npos; at = name.find(kNameless))
        name.erase(at, kNameless.size());
    name = name.substr(0, name.find_first_of("(<["));
    return name.substr(name.find_last_of(": ") + 1);
}

bool is_meant(const RecordOptions& options, const std::string& kernel) {
    const std::string& wanted = options.kernel;
    return wanted.empty() || is_name_of(wanted, kernel) || bare_name(kernel) == wanted;
}

RecordedProgram record_program(
    const RecordOptions& options, bool aside, const std::function<void(launches::Receiving&)>& keep
) {
    const Meeting meeting;
    const TemporaryPath kept(meeting.folder);
    const HandedOn handed_on;
    ProcessOptions recorded;
    recorded.environment = environment_for(meeting, library_path());
    if (aside) recorded.output = {Stream::To::errors};
    Process child = start_process(options.program, recorded);
    Server server{options, keep, {}, {}};
    constexpr int kBeat = 50;  // ms
    int handed = 0;
    std::optional<ExitStatus> ended;
    while (!(ended = has_ended(child))) {
        hand_on(child.id, handed);
        server.turn(meeting.listener, kBeat);
    }
    while (server.turn(meeting.listener, 0)) {}
    for (Connection& c : server.open) {
        server.settle(c);
        close_descriptor(c.socket);
    }
    server.out.status = shell_status(*ended);
    return std::move(server.out);
}

}  // namespace wl::app
