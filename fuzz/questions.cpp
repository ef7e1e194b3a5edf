// `at` and `why` of a capture, answered in process.
#include "app/cli/questions/at_shared.h"
#include "app/cli/questions/at_writes.h"
#include "app/cli/questions/why.h"
#include "fuzz/answers.h"
#include "fuzz/values.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::fuzz {
namespace {

constexpr uint64_t kBudget = 20'000;  // warp instructions of a block

app::Command command_of(
    const char* verb, const capture::Capture& c, const std::string& manifest, Random& random
) {
    app::Command command;
    command.verb = verb;
    command.kernel.kernel = manifest;
    if (random() % 2 == 0) app::repeat_launch(command.kernel, c.launch);
    command.kernel.threads = 1, command.kernel.budget = kBudget;
    return command;
}

std::string some_name(const capture::Capture& c, Random& random) {
    if (c.probes.empty() || chance(random, 30))
        return c.outputs.empty() ? "y" : one_of(random, c.outputs).name;
    return one_of(random, c.probes).name;
}

void ask_why(const app::Command& command, const capture::Capture& c, Random& random) {
    app::WhyOptions o;
    o.tile = some_name(c, random);
    o.element = fmt::format("{},{}", random() % 9, random() % 9);
    o.addresses = random() % 2 == 0;
    if (random() % 2 == 0) o.iteration = static_cast<int>(random() % 3);
    app::Inquiry inquiry{command, c, {}};
    const app::WhyReport report = app::why(inquiry, o);
    static_cast<void>(app::why_text(report));
    static_cast<void>(json_text(app::why_json(report)));
}

void ask_at(const app::Command& command, const capture::Capture& c, Random& random) {
    app::AtOptions o;
    o.build = "optimised";  // a debug build needs a compiler
    o.order = static_cast<int64_t>(random() % 400);
    o.warps = random() % 2 == 0;
    const std::unique_ptr<app::Trip> trip = app::make_trip(command, o, &c);
    const app::AtReport report = app::answer(*trip, o);
    static_cast<void>(app::report_text(report));
    static_cast<void>(json_text(app::report_json(report)));
    o.shared.asked = true;
    const app::SharedAnswer shared = app::answer_shared(*trip, o);
    static_cast<void>(app::shared_text(shared));
    static_cast<void>(json_text(app::shared_json(shared)));
    o.writes = fmt::format("{}[{}]", some_name(c, random), random() % 70);
    static_cast<void>(app::writes_text(app::answer_writes(*trip, o)));
}

}  // namespace

std::string problem_of_questions(
    const capture::Capture& capture, const std::string& manifest, Random& random
) {
    const bool why = random() % 2 == 0;
    const app::Command command = command_of(why ? "why" : "at", capture, manifest, random);
    try {
        if (why)
            ask_why(command, capture, random);
        else
            ask_at(command, capture, random);
    } catch (const Error&) {
    } catch (const Unsupported&) {
    } catch (const diagnosis::Cancelled&) {}
    return {};
}

}  // namespace wl::fuzz
