// The process is begun when a run is asked for, and again after one that took it along.
#include "instrumentation/gpu/isolated.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/gpu/executor.h"
#include "instrumentation/gpu/isolated_wire.h"
#include "instrumentation/gpu/session.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>

namespace wl::gpu {
namespace {

using execution::RunResult;

constexpr double kBegin = 60;              // seconds until a process has its GPU
constexpr double kFirst = 2 * kTimeLimit;  // until the first run must have ended
constexpr double kLeast = 1, kTimes = 4;   // of the runs behind it
constexpr double kUnknown = 5;             // of those behind one that did not end

// The process at the other end, of which there may be none.
struct Server {
    std::vector<std::string> command;
    std::mutex one = {};  // run at a time
    Process process = {};
    int socket = -1;   // what is its stdin and stdout
    double first = 0;  // seconds of the first run that ended; 0: none has
    int runs = 0;

    explicit Server(std::vector<std::string> words) : command(std::move(words)) {}
    ~Server() { end(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void end() {
        close_descriptor(socket);
        end_process(process);
    }
};

// It ends when its stdin does, so also when we are gone.
void begin(Server& s) {
    Ends ends = socket_ends();
    if (ends.first < 0) throw Error("the process for trials on the GPU cannot be started");
    s.socket = ends.first;
    ProcessOptions options;
    options.descriptors = {
        {ends.second, kInput },
        {ends.second, kOutput}
    };
    options.group = true;
    try {
        s.process = start_process(s.command, options);
    } catch (const Error& e) {
        close_descriptor(ends.second);
        throw Unsupported(std::string("unsupported: the process for trials has no GPU: ") + e.what());
    }
    close_descriptor(ends.second);
    // Its first message says that it has the GPU, or why not.
    const std::optional<std::string> ready = receive_message(s.socket, kBegin);
    if (ready && ready->empty()) return;
    s.end();
    throw Unsupported(
        "unsupported: the process for trials has no GPU" + (ready ? ": " + *ready : std::string())
    );
}

execution::Incident fault(std::string detail) {
    execution::Incident i;
    i.kind = execution::Incident::Kind::device_fault;
    i.first.site = execution::kUnknownSite;
    i.detail = std::move(detail);
    return i;
}

double limit_of(const Server& s) {
    return s.first > 0 ? std::max(kLeast, kTimes * s.first) : s.runs == 0 ? kFirst : kUnknown;
}

bool fell(const RunAnswer& answer) {
    return std::any_of(answer.incidents.begin(), answer.incidents.end(), [](const execution::Incident& i) {
        return i.kind == execution::Incident::Kind::device_fault;
    });
}

// What ran in vain takes its process along.
RunAnswer ask(Server& s, const RunRequest& request) {
    using Clock = std::chrono::steady_clock;
    if (s.process.id < 0) begin(s);
    const double limit = limit_of(s);
    const auto start = Clock::now();
    std::optional<std::string> bytes;
    if (send_message(s.socket, bytes_of(request))) bytes = receive_message(s.socket, limit);
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    std::optional<RunAnswer> answer = bytes ? answer_of(*bytes) : std::nullopt;
    ++s.runs;
    if (!answer || fell(*answer)) s.end();
    if (!answer) {
        RunAnswer none;
        none.incidents.push_back(fault(
            spent < limit ? std::string("the process that ran the kernel ended")
                          : fmt::format("the kernel did not end within {:.1f} s", limit)
        ));
        return none;
    }
    const bool ran = answer->unsupported.empty() && answer->error.empty() && !fell(*answer);
    if (ran && s.first == 0) s.first = spent;
    return std::move(*answer);
}

RunResult run(
    Server& s,
    const RunRequest& program,
    execution::GlobalMemory& memory,
    const execution::RunOptions& options
) {
    RunRequest request{
        program.text, program.entry, program.launch, execution::copy_of(memory), options.blocks};
    request.memory.heap = nullptr, request.tiles = options.marks && options.on_tile != nullptr;
    const std::scoped_lock hold(s.one);
    RunAnswer answer = ask(s, request);
    if (!answer.unsupported.empty()) throw Unsupported(answer.unsupported);
    if (!answer.error.empty()) throw Error(answer.error);
    RunResult out;
    out.incidents = std::move(answer.incidents), out.blocks = answer.blocks, out.seconds = answer.seconds;
    for (size_t k = 0; k < std::min(memory.allocations.size(), answer.after.size()); ++k) {
        memory.allocations[k].bytes = std::move(answer.after[k].bytes);
        memory.allocations[k].written = std::move(answer.after[k].written);
    }
    for (execution::TileSnapshot& tile : answer.tiles)
        if (options.on_tile) options.on_tile(std::move(tile));
    return out;
}

// The program that ran last: one text may hold many changes, which a variable of it chooses from.
struct Last {
    std::string text, entry;
    execution::Executable program = {};
};

RunAnswer answered(const execution::Executor& executor, Last& last, RunRequest request) {
    RunAnswer out;
    try {
        if (request.text != last.text || request.entry != last.entry) {
            last.text.clear();
            last.program = executor.prepare(ptx::parse(request.text), request.entry);
            last.text = std::move(request.text), last.entry = std::move(request.entry);
        }
        execution::RunOptions options;
        options.blocks = std::move(request.blocks), options.marks = request.tiles;
        if (request.tiles)
            options.on_tile = [&](execution::TileSnapshot&& tile) { out.tiles.push_back(std::move(tile)); };
        RunResult result = last.program.run(request.launch, request.memory, options);
        out.incidents = std::move(result.incidents), out.after = std::move(request.memory.allocations);
        out.blocks = result.blocks, out.seconds = result.seconds;
    } catch (const Unsupported& u) { out.unsupported = u.what(); } catch (const Error& e) {
        out.error = e.what();
    }
    return out;
}

}  // namespace

execution::Executor isolated_executor(int device, std::vector<std::string> command) {
    execution::Executor made = executor(device);
    made.can.record = false;
    made.prepare = [server = std::make_shared<Server>(std::move(command)
                    )](const ptx::Module& module, std::string_view entry) {
        const ptx::Function& function = ptx::entry_of(module, entry);
        const auto listing = std::make_shared<const execution::Listing>(
            execution::list(module, static_cast<int>(&function - module.functions.data()))
        );
        const auto program = std::make_shared<RunRequest>();
        program->text = ptx::print(module), program->entry = function.name;
        return execution::Executable{
            listing,
            0,
            [server, program](
                const execution::Launch& launch,
                execution::GlobalMemory& memory,
                const execution::RunOptions& options
            ) {
                RunRequest request = *program;
                request.launch = launch;
                return run(*server, request, memory, options);
            }};
    };
    return made;
}

int serve_runs(int device, int socket) {
    output_goes_to_errors();  // nobody reads there
    try {
        const Session held(device);  // the context stays from run to run
        const execution::Executor on = executor(device);
        Last last;
        if (!send_message(socket, {})) return 0;
        while (const std::optional<std::string> bytes = receive_message(socket, 0)) {
            std::optional<RunRequest> request = request_of(*bytes);
            if (!request || !send_message(socket, bytes_of(answered(on, last, std::move(*request)))))
                return 1;
        }
        return 0;
    } catch (const Unsupported& u) { send_message(socket, u.what()); } catch (const Error& e) {
        send_message(socket, e.what());
    }
    return 1;
}

}  // namespace wl::gpu
