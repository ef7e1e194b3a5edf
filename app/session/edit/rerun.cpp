// Runs whose result does not simply replace what is shown.
#include "app/session/edit/rerun.h"

#include "app/session/compare/against.h"
#include "app/session/compare/other.h"
#include "app/session/edit/keep.h"
#include "app/session/edit/known.h"
#include "app/session/edit/place.h"
#include "app/session/load.h"
#include "app/session/lookup.h"
#include "app/session/navigate.h"
#include "app/session/questions.h"
#include "app/session/run.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

// Nothing may run that a capture alone names.
bool has_kernel(Session& session, const KernelOptions& options) {
    if (options.kernel.empty() && !session.named.empty())
        session.message = {
            session.named + " is not opened because the capture names it; allow it in the run bar.", true};
    return !options.kernel.empty();
}

void start_run(Session& session, const KernelOptions& options, Purpose purpose, const std::string& name) {
    if (!may_run(session)) return;
    run(session, options);
    session.purpose = purpose;
    session.name_of_b = name;
}

// What the manifest says of a parameter comes to this value by itself.
bool follows(const std::string& text, const std::map<std::string, double>& values, double value) {
    try {
        return manifest::evaluate(text, values, "") == value;
    } catch (const Error&) { return false; }
}

// What is shown gives way to `capture`, and the user stays where he was.
void replace(Session& session, Selection& selection, capture::Capture fresh, const std::string& name_of_b) {
    await_keeping(session);
    const Selection stood = selection;
    Against against = std::move(session.against);
    if (against.counting.valid()) against.counting.wait();
    against.search.reset();
    session.loading.reset();
    auto was = std::make_shared<capture::Capture>(std::move(session.capture));
    load(session, selection, std::move(fresh), "");
    take_place(session, *was, stood, selection);
    if (!name_of_b.empty()) {
        const bool shown = against.shown && against.other;
        set_other(session, was, name_of_b, Made::before);
        session.against.shown = shown;
    } else if (against.other) {
        set_other(session, against.other, against.name, against.made);
        session.against.shown = against.shown;
    }
}

}  // namespace

KernelOptions problem_to_change(const Session& session) {
    if (session.made_by) return *session.made_by;
    const capture::Launch& launch = session.capture.launch;
    KernelOptions options = problem_of(session);
    options.on = launch.executor.starts_with("gpu") ? "gpu" : "cpu";
    if (is_undescribed(session)) options.kernel = launch.kernel;  // of the text that is shown
    const KernelChoice* choice = choice_of(session);
    if (choice == nullptr) return options;
    if (!choice->path.empty())
        options.kernel = choice->path;
    else if (options.kernel.empty())
        options.kernel = choice->name;
    const std::map<std::string, double> values(launch.params.begin(), launch.params.end());
    for (const auto& [name, text] : choice->params) {
        const auto had = values.find(name);
        if (had == values.end() || !follows(text, values, had->second)) continue;
        std::erase_if(options.set, [&, head = name + "="](const std::string& s) {
            return s.starts_with(head);
        });
    }
    return options;
}

KernelOptions options_again(const Session& session) {
    const capture::Launch& launch = session.capture.launch;
    if (launch.kernel.empty()) return {};
    KernelOptions options = problem_to_change(session);
    options.record.clear();
    for (const capture::BlockRecord& r : session.capture.records)
        options.record.push_back(block_words(r.block, launch.grid));
    return options;
}

void run_again(Session& session, const std::string& name_of_b) {
    const KernelOptions options = options_again(session);
    if (has_kernel(session, options)) start_run(session, options, Purpose::again, name_of_b);
}

void run_recording(Session& session, int64_t block) {
    KernelOptions options = options_again(session);
    if (!has_kernel(session, options) || block < 0) return;
    options.record.push_back(block_words(block, session.capture.launch.grid));
    start_run(session, options, Purpose::record, "");
    session.recording = block;
    session.message = {"Recording " + block_text(session.capture, block) + ".", false};
}

void record_behind(Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    if (tile == nullptr || tile->block >= 0 || !exists(selection.element)) return;
    session.finds_block = true;
    ask_provenance(
        session,
        fmt::format(
            "--tile \"{}\" --element {},{}",
            probe_of(session, selection)->name,
            selection.element.row,
            selection.element.col
        )
    );
    session.message = {"Looking for the block that wrote the element.", false};
}

void take_found_block(Session& session, Selection& selection) {
    const std::optional<ProvenanceReport>& report = session.provenance.report;
    if (!session.finds_block || !session.provenance.talk.asked.empty()) return;
    session.finds_block = false;
    if (!report || !report->problem.empty()) {
        session.message = {report ? report->problem : session.provenance.talk.problem, true};
    } else if (record_index(session, report->block) >= 0) {
        selection.block = report->block;
        session.message = {block_text(session.capture, report->block) + " wrote it and is recorded.", false};
    } else {
        run_recording(session, report->block);
    }
}

void run_as_b(Session& session, const KernelOptions& options) {
    KernelOptions wanted = options;
    wanted.search = 0;  // A is what causes are shown of
    session.fixing = -1;
    for (const capture::BlockRecord& r : session.capture.records)
        wanted.record.push_back(block_words(r.block, session.capture.launch.grid));
    start_run(session, wanted, Purpose::other, "");
}

void run_fix(Session& session, const KernelOptions& options, int finding) {
    const KernelOptions shown = session.request;
    KernelOptions wanted = options;
    wanted.search = 0;
    start_run(session, wanted, Purpose::other, run_name(session.capture.launch) + ", mended");
    session.request = shown;  // questions are about A
    session.fixing = finding;
    session.message = {"Running the kernel with the fix, as B.", false};
}

bool look_after_files(Session& session) {
    std::vector<std::string> changed = take_changed(session.watched);
    if (!changed.empty()) session.saved = file_name(changed.front());
    if (!session.saved.empty()) end_causes(session);  // of a source that is no more
    if (session.saved.empty() || session.worker) return !changed.empty();
    run_again(session, "before " + std::exchange(session.saved, {}) + " was saved");
    return true;
}

namespace {

// Without what comes by itself: what the mouse is over, and the line that an answer leads Source to.
Selection as_chosen(Selection selection) {
    selection.hovered = selection.hovering = {};
    if (!selection.line_chosen) selection.site = selection.source = -1, selection.line = 0;
    return selection;
}

void take(Session& session, Selection& selection, capture::Capture fresh, Purpose purpose) {
    if (purpose == Purpose::other) {
        const int fixed = std::exchange(session.fixing, -1);
        const std::string name = fixed >= 0 ? session.name_of_b : run_name(fresh.launch);
        set_other(session, std::make_shared<capture::Capture>(std::move(fresh)), name, Made::after);
        session.against.shown = true;
        session.against.fix_of = fixed;
        session.message = {"B is " + name + ".", false};
        return;
    }
    const Selection stood = as_chosen(selection);
    replace(session, selection, std::move(fresh), purpose == Purpose::again ? session.name_of_b : "");
    session.made_by = session.request;
    const int64_t block = std::exchange(session.recording, -1);
    if (purpose == Purpose::causes && session.judged_at == stood) select_first(session, selection);
    if (purpose == Purpose::record && record_index(session, block) >= 0) selection.block = block;
}

}  // namespace

void take_run(Session& session, Selection& selection, const std::string& path, bool remove) {
    const Purpose purpose = std::exchange(session.purpose, Purpose::fresh);
    if (purpose == Purpose::fresh) {
        load_file(session, selection, path, remove);
        (session.opening ? session.opening->made_by : session.made_by) = session.request;
        if (!session.opening && session.path == path) session.path.clear();  // the worker's file goes
        return;
    }
    try {
        take(session, selection, capture::read_capture(path), purpose);
    } catch (const Error& error) { session.message = {error.what(), true}; }
    std::error_code ignored;
    if (remove) fs::remove(path, ignored);
}

void take_verdict(Session& session, Selection& selection) {
    if (session.purpose == Purpose::other || is_big_file(session.worker->capture)) return;
    const bool fresh = session.purpose == Purpose::fresh;  // else the user stands somewhere already
    take_run(session, selection, session.worker->capture, false);
    session.judged_at.reset();
    if (fresh) session.judged_at = as_chosen(selection);
    session.purpose = Purpose::causes;
    session.message = {"The verdict is there; its causes are being looked for.", false};
}

void swap_sides(Session& session, Selection& selection) {
    if (!session.against.other) return;
    const bool shown = session.against.shown;
    const Made made = session.against.made;
    capture::Capture other = *session.against.other;
    replace(session, selection, std::move(other), run_name(session.capture.launch));
    session.against.shown = shown;
    session.against.made = made == Made::before ? Made::after : Made::before;
}

}  // namespace wl::app
