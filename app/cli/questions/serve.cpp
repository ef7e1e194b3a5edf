// Questions by line on stdin, answers by line on stdout: how the window, or an editor, asks on and on.
#include "app/cli/parse.h"
#include "app/cli/questions/at.h"
#include "app/cli/questions/at_fragments.h"
#include "app/cli/questions/at_shared.h"
#include "app/cli/questions/at_writes.h"
#include "app/cli/questions/why.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

constexpr uint64_t kLookOn = 50'000;  // instants: a question that comes meanwhile waits a few milliseconds

bool is_asked() { return wait_for_input(kInput, 0); }

// A line that is begun is read to its end.
bool wait_for_question() {
    constexpr int kBeat = 50;  // ms, until it is looked at whether a signal asked us to stop
    while (!wait_for_input(kInput, kBeat)) check_stop();
    return true;
}

// The answer to a line is a line of JSON with the question in `key`, and the reason in "error" when `answer`
// throws. Ends with stdin; returns the exit status. While nothing is asked it looks on, a little at a time,
// until that returns false.
int serve(
    const char* key,
    const std::function<ordered_json(const std::string&)>& answer,
    const std::function<bool()>& look_on = [] { return false; }
) {
    std::setvbuf(stdin, nullptr, _IONBF, 0);  // a line in a buffer is one that poll does not see
    for (std::string line; wait_for_question() && std::getline(std::cin, line);) {
        ordered_json j{
            {key, line}
        };
        try {
            j.update(answer(line));
        } catch (const std::exception& problem) { j["error"] = problem.what(); }
        const std::string text = json_text(j, -1) + "\n";
        print_text(text);
        std::fflush(stdout);
        while (!is_asked() && look_on()) {}
    }
    return kExitOk;
}

// What the first question to a block waits for, in the words of progress_reporter.
void tell_stage(const Command& command, const char* stage) {
    if (command.output.progress) print_notice(std::string("progress ") + stage + " 0\n");
}

}  // namespace

int serve_at(const Command& command) {
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Trip>> trips;  // by build and block
    Trip* last = nullptr;
    const auto look_on = [&] { return last != nullptr && travel::look_on(last->route, kLookOn); };
    const auto answer_line = [&](const std::string& line) {
        const AtOptions o = parse_at(line);
        std::unique_ptr<Trip>& trip = trips[{o.fragments || o.shared.asked ? "recorded" : o.build, o.block}];
        if (!trip) {
            tell_stage(command, "compile");
            trip = make_trip(command, o);
            tell_stage(command, "run");
        }
        last = trip.get();
        if (o.shared.asked) return shared_json(answer_shared(*trip, o));
        if (!o.writes.empty()) return writes_json(answer_writes(*trip, o));
        return o.fragments ? live_json(answer_fragments(*trip, o)) : report_json(answer(*trip, o));
    };
    return serve("asked", answer_line, look_on);
}

int serve_why(const Command& command) {
    std::unique_ptr<Inquiry> inquiry;
    return serve("question", [&](const std::string& line) {
        const WhyOptions o = parse_why(line);
        if (!inquiry) inquiry = begin_inquiry(command);
        return why_json(why(*inquiry, o));
    });
}

}  // namespace wl::app
