// Questions as command lines, answers as JSON.
#include "app/questions.h"

#include "instrumentation/base/error.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace wl::app {

std::vector<std::string> problem_words(const Session& session) {
    const capture::Launch& launch = session.capture.launch;
    const std::string& asked = session.request.kernel;
    const bool same = std::filesystem::path(asked).stem() == launch.kernel;
    std::vector<std::string> words = {same ? asked : launch.kernel};
    const auto add = [&words](const char* option, const std::string& value) {
        words.emplace_back(option);
        words.push_back(value);
    };
    for (const std::string& fault : launch.faults) add("--fault", fault);
    for (const auto& [name, value] : launch.params) add("--set", fmt::format("{}={}", name, value));
    if (!launch.inputs.empty() && launch.inputs != "manifest") add("--inputs", launch.inputs);
    if (!launch.arch.empty()) add("--arch", launch.arch);
    add("--seed", std::to_string(launch.seed));
    add("--schedule", std::to_string(launch.schedule_seed));
    return words;
}

void ask_banks(Session& session) {
    BanksAnswer& banks = session.banks;
    banks = {};
    std::vector<std::string> words = {session.program, "banks"};
    const std::vector<std::string> problem = problem_words(session);
    words.insert(words.end(), problem.begin(), problem.end());
    words.insert(words.end(), {"--json", "--progress"});
    try {
        auto worker = std::make_unique<Worker>();
        start(*worker, words, "");
        banks.worker = std::move(worker);
    } catch (const Error& error) { banks.problem = error.what(); }
}

namespace {

void start_lanes(Session& session) {
    LanesAnswer& lanes = session.lanes;
    std::vector<std::string> words = {session.program, "at"};
    const std::vector<std::string> problem = problem_words(session);
    words.insert(words.end(), problem.begin(), problem.end());
    words.emplace_back("--serve");
    lanes.problem.clear();
    try {
        auto worker = std::make_unique<Worker>();
        start(*worker, words, "");
        lanes.worker = std::move(worker);
    } catch (const Error& error) { lanes.problem = error.what(); }
}

}  // namespace

void ask_lanes(Session& session, const std::string& question) {
    LanesAnswer& lanes = session.lanes;
    if (!lanes.worker) start_lanes(session);
    if (!lanes.worker) return;
    if (!lanes.asked.empty()) {
        lanes.next = question;
        return;
    }
    lanes.asked = question;
    ask(*lanes.worker, question);
}

bool hear_lanes(Session& session) {
    LanesAnswer& lanes = session.lanes;
    if (!lanes.worker) return false;
    poll(*lanes.worker);
    bool changed = false;
    while (const std::optional<std::string> line = take_line(*lanes.worker)) {
        changed = true;
        try {
            lanes.report = lane_report(*line);
        } catch (const Error& error) { lanes.problem = error.what(); }
        lanes.asked.clear();
        if (!lanes.next.empty()) ask_lanes(session, std::exchange(lanes.next, {}));
    }
    if (lanes.worker->state == WorkerState::running) return changed;
    lanes.problem = lanes.worker->message;
    lanes.worker.reset();
    lanes.asked.clear();
    lanes.next.clear();
    return true;
}

bool hear_banks(Session& session) {
    BanksAnswer& banks = session.banks;
    if (!banks.worker) return false;
    poll(*banks.worker);
    if (banks.worker->state == WorkerState::running) return true;
    const std::unique_ptr<Worker> worker = std::move(banks.worker);
    if (worker->state != WorkerState::finished) {
        banks.problem = worker->message;
        return true;
    }
    try {
        banks.table = bank_table(worker->answer);
    } catch (const Error& error) { banks.problem = error.what(); }
    return true;
}

}  // namespace wl::app
