// Questions as command lines, answers as JSON.
#include "app/session/questions.h"

#include "app/session/clock.h"
#include "app/session/fragment_view.h"
#include "app/session/plain_words.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"

#include <filesystem>
#include <functional>
#include <utility>

namespace wl::app {

namespace {

// `warplens VERB` of these words; nullptr: `problem` says why not.
std::unique_ptr<Worker> start_verb(
    const Session& session,
    const std::string& verb,
    const std::vector<std::string>& about,
    std::string& problem
) {
    std::vector<std::string> words = {session.program, verb};
    words.insert(words.end(), about.begin(), about.end());
    auto worker = std::make_unique<Worker>();
    try {
        start(*worker, words, "");
    } catch (const Error& error) {
        problem = error.what();
        return nullptr;
    }
    problem.clear();
    return worker;
}

// The loaded capture's run for a verb that repeats it: its file, or its kernel when it has none (any more),
// with the same blocks recorded.
std::vector<std::string> run_words(const Session& session) {
    std::error_code none;
    if (std::filesystem::is_regular_file(session.path, none)) {
        if (session.trusts) return {session.path, "--trust"};
        return {session.path};
    }
    KernelOptions options = problem_of(session);
    for (const capture::BlockRecord& r : session.capture.records)
        options.record.push_back(block_words(r.block, session.capture.launch.grid));
    return words_of(options);
}

void put_question(Conversation& talk, const std::string& question) {
    if (!talk.worker) return;
    if (!talk.asked.empty()) {
        talk.next = question;
        return;
    }
    talk.asked = question;
    ask(*talk.worker, question);
}

void converse(
    const Session& session, Conversation& talk, const std::string& verb, const std::string& question
) {
    if (!talk.worker) {
        std::vector<std::string> words = run_words(session);
        words.insert(words.end(), {"--serve", "--progress"});
        talk.worker = start_verb(session, verb, words, talk.problem);
    }
    talk.lost.clear();
    put_question(talk, question);
}

// `take` reads an answer and may throw Error. True: something changed.
bool hear(Conversation& talk, const std::function<void(const std::string&)>& take) {
    if (!talk.worker) return false;
    poll(*talk.worker);
    bool changed = false;
    while (const std::optional<std::string> line = take_line(*talk.worker)) {
        changed = true;
        try {
            take(*line);
        } catch (const Error& error) { talk.problem = error.what(); }
        talk.asked.clear();
        if (!talk.next.empty()) put_question(talk, std::exchange(talk.next, {}));
    }
    if (talk.worker->state == WorkerState::running) return changed;
    talk.problem = talk.worker->message;
    talk.worker.reset();
    talk.lost = std::exchange(talk.asked, {});
    if (!talk.next.empty()) talk.lost = std::exchange(talk.next, {});
    return true;
}

}  // namespace

KernelOptions problem_of(const Session& session) {
    const capture::Launch& launch = session.capture.launch;
    const std::string& asked = session.request.kernel;
    const bool same = std::filesystem::path(asked).stem() == launch.kernel;
    KernelOptions options;
    options.kernel = same ? asked : session.allowed;
    repeat_launch(options, launch);
    const bool is_file = options.inputs.ends_with(".npz") && options.inputs != session.request.inputs;
    if (is_file && !session.trusts) options.inputs = session.path;  // which carries them
    return options;
}

std::unique_ptr<Worker> start_question(
    const Session& session,
    const std::string& verb,
    const std::vector<std::string>& more,
    std::string& problem
) {
    std::vector<std::string> words = run_words(session);
    words.insert(words.end(), more.begin(), more.end());
    return start_verb(session, verb, words, problem);
}

void ask_banks(Session& session) {
    BanksAnswer& banks = session.banks;
    banks = {};
    banks.worker = start_question(session, "banks", {"--json", "--progress"}, banks.problem);
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

void ask_lanes(Session& session, const std::string& question) {
    converse(session, session.lanes.talk, "at", question);
}

bool hear_lanes(Session& session, Selection& selection) {
    const bool changed = hear(session.lanes.talk, [&](const std::string& line) {
        take_lanes_answer(session, selection, line);
    });
    if (!session.lanes.talk.problem.empty()) session.lanes.steps.clear();
    take_waiting_step(session, selection);
    return changed;
}

void ask_fragments(Session& session, const std::string& question) {
    converse(session, session.fragments.talk, "at", question);
}

bool hear_fragments(Session& session) {
    FragmentsAnswer& fragments = session.fragments;
    return hear(fragments.talk, [&session, &fragments](const std::string& line) {
        fragments.report = fragment_report(line);
        fragments.report->problem = plain_words(fragments.report->problem);
        fragments.view =
            make_fragment_view(fragments.report->live, session.capture, fragments.view.content + 1);
    });
}

void ask_shared(Session& session, const std::string& question) {
    converse(session, session.shared.talk, "at", question);
}

bool hear_shared(Session& session) {
    SharedAnswered& shared = session.shared;
    return hear(shared.talk, [&shared](const std::string& line) {
        shared.report = shared_report(line);
        shared.report->problem = plain_words(shared.report->problem);
        shared.view = make_shared_view(shared.report->state);
        ++shared.content;
    });
}

void ask_writes(Session& session, const std::string& question) {
    converse(session, session.writes.talk, "at", question);
}

bool hear_writes(Session& session) {
    return hear(session.writes.talk, [&session](const std::string& line) {
        session.writes.report = writes_report(line);
        session.writes.report->problem = plain_words(session.writes.report->problem);
    });
}

void ask_provenance(Session& session, const std::string& question) {
    converse(session, session.provenance.talk, "why", question);
}

bool hear_provenance(Session& session) {
    ProvenanceAnswer& provenance = session.provenance;
    return hear(provenance.talk, [&provenance](const std::string& line) {
        provenance.report = provenance_report(line);
        provenance.report->problem = plain_words(provenance.report->problem);
    });
}

}  // namespace wl::app
