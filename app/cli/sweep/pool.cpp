// One thread looks after all processes; a machine that fails hands its run back.
#include "app/cli/sweep/pool.h"

#include "app/cli/sweep/cases.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/gpu/driver.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace wl::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Slot {
    size_t place = 0;
    bool busy = false;
    size_t number = 0;  // of the case
    Clock::time_point since;
    Worker worker = {};
};

struct Pool {
    const SweepJob& job;
    Scratch scratch = {};
    std::deque<size_t> waiting = {};
    std::deque<Slot> slots = {};
    std::vector<bool> lost = {};  // by place
    size_t done = 0;
    Swept out = {};
};

std::string capture_of(const Pool& p, size_t number) {
    return p.scratch.path + "/" + std::to_string(number) + ".wlcap";
}

void start_next(Pool& p, Slot& slot) {
    slot.number = p.waiting.front(), slot.busy = true, slot.since = Clock::now();
    p.waiting.pop_front();
    const Place& place = p.job.places[slot.place];
    KernelOptions one = p.job.cases[slot.number];
    if (!one.search) one.search = 0;
    one.host = place.host, one.remote_program = place.remote_program;
    if (place.device >= 0) one.device = place.device;
    std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "diagnose"};
    const std::vector<std::string> about = words_of(one);
    words.insert(words.end(), about.begin(), about.end());
    const std::string capture = capture_of(p, slot.number);
    words.insert(words.end(), {"--json", "--quiet", "-o", capture});
    slot.worker.answer.clear(), slot.worker.last_line.clear(), slot.worker.partial.clear();
    slot.worker.state = WorkerState::running;
    start(slot.worker, words, capture);
}

// What a run said that left no capture: verdict and reason.
std::pair<std::string, std::string> problem_of(const Worker& worker) {
    const auto json = nlohmann::json::parse(worker.answer, nullptr, false);
    const auto text = [](const nlohmann::json& j) {
        return j.is_string() ? j.get<std::string>() : std::string();
    };
    if (!json.is_object()) return {"error", worker.message};
    if (json.contains("error")) return {"error", text(json["error"])};
    const auto gaps = json.find("unsupported");
    const bool named = gaps != json.end() && gaps->is_array() && !gaps->empty();
    return {"unsupported", named ? text(gaps->front()) : worker.message};
}

// The words of a link that broke, and of a machine that lacks the program (app/cli/remote).
bool is_loss(const Place& place, const std::string& problem) {
    if (place.host.empty()) return false;
    return problem.starts_with("the connection to " + place.host) ||
        problem.starts_with(place.host + " has no program") ||
        problem.starts_with(place.host + " could not unpack");
}

void keep_capture(const Pool& p, SweepRun& row, size_t number) {
    const std::string from = capture_of(p, number);
    if (p.job.keep.empty() || row.verdict == "ok") return;
    const fs::path to = fs::path(p.job.keep) / file_name_of(p.job.cases[number]);
    copy_file_atomically(from, to.string());
    row.capture = to.string();
}

void lose(Pool& p, Slot& slot, const std::string& problem) {
    if (!p.lost[slot.place]) p.out.lost.push_back(problem);
    p.lost[slot.place] = true;
    p.waiting.push_front(slot.number);
}

void take_result(Pool& p, Slot& slot) {
    slot.busy = false;
    const Place& place = p.job.places[slot.place];
    SweepRun& row = p.out.runs[slot.number];
    const std::string file = capture_of(p, slot.number);
    if (fs::exists(file)) {
        fill_row(row, capture::read_capture(file), "sweep");
        keep_capture(p, row, slot.number);
        std::error_code none;
        fs::remove(file, none);
    } else {
        const auto [verdict, problem] = problem_of(slot.worker);
        if (is_loss(place, problem)) return lose(p, slot, problem);
        fill_row(row, verdict, problem, "sweep");
    }
    row.place = place.name;
    row.seconds = std::chrono::duration<double>(Clock::now() - slot.since).count();
    ++p.done;
}

void end_all(Pool& p) {
    for (Slot& slot : p.slots) cancel(slot.worker);
    const auto patience = Clock::now() + std::chrono::seconds(3);
    const auto busy = [](Slot& slot) {
        poll(slot.worker);
        return slot.worker.process > 0;
    };
    while (Clock::now() < patience && std::any_of(p.slots.begin(), p.slots.end(), busy))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Is there anything left that can go on?
bool step(Pool& p) {
    bool busy = false;
    for (Slot& slot : p.slots) {
        if (slot.busy) {
            poll(slot.worker);
            if (slot.worker.state != WorkerState::running) take_result(p, slot);
        }
        if (!slot.busy && !p.lost[slot.place] && !p.waiting.empty()) start_next(p, slot);
        busy = busy || slot.busy;
    }
    return busy;
}

}  // namespace

Swept run_cases(const SweepJob& job) {
    Pool p{job};
    if (p.scratch.path.empty()) throw Error("there is no room for a temporary folder");
    p.lost.resize(job.places.size());
    for (size_t k = 0; k < job.cases.size(); ++k) {
        p.waiting.push_back(k);
        SweepRun row;
        const KernelOptions& one = job.cases[k];
        row.kernel = kernel_text(one), row.preset = one.preset, row.set = setting_text(one);
        row.seed = one.seed, row.schedule = one.schedule;
        p.out.runs.push_back(std::move(row));
    }
    for (size_t k = 0; k < job.places.size(); ++k)
        for (int slot = 0; slot < job.places[k].slots; ++slot) p.slots.emplace_back().place = k;
    while (step(p)) {
        const double fraction = static_cast<double>(p.done) / static_cast<double>(job.cases.size());
        if (!go_on() || !job.report({fmt::format("{} of {}", p.done, job.cases.size()), fraction})) {
            end_all(p);
            throw diagnosis::Cancelled{};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    for (const size_t number : p.waiting)
        fill_row(p.out.runs[number], "error", "no machine was left to run it", "sweep");
    return std::move(p.out);
}

std::vector<Place> places_of(const Command& c) {
    const SweepOptions& s = c.sweep;
    std::vector<Place> out;
    for (const std::string& host : s.hosts) {
        if (host.empty() || host.starts_with('-'))
            throw Error("--hosts " + host + ": write USER@MACHINE,...");
        out.push_back({host, host, c.kernel.remote_program, -1, std::max(1, s.jobs)});
    }
    if (!out.empty() && !s.devices.empty())
        throw Error("--hosts and --device exclude each other: a run on another machine takes its GPU 0");
    if (!s.devices.empty() && c.kernel.on == "cpu") throw Error("--device is of --on gpu, both or auto");
    const gpu::Devices there = s.devices.empty() ? gpu::Devices{} : gpu::devices();
    if (!s.devices.empty() && there.all.empty()) throw Unsupported("unsupported: --device: " + there.missing);
    for (const gpu::Device& d : there.all) {
        const bool wanted = s.devices == std::vector<std::string>{"all"} ||
            std::find(s.devices.begin(), s.devices.end(), std::to_string(d.index)) != s.devices.end();
        if (wanted) out.push_back({fmt::format("gpu {}", d.index), {}, {}, d.index, std::max(1, s.jobs)});
    }
    if (s.devices != std::vector<std::string>{"all"} && out.size() < s.devices.size())
        throw Error("--device: `warplens devices` lists the numbers there are");
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (out.empty()) out.push_back({{}, {}, {}, -1, s.jobs > 0 ? s.jobs : cores});
    return out;
}

}  // namespace wl::app
