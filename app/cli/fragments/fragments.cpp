// The verb: words to maps, and the four forms in which they leave.
#include "app/cli/fragments/fragments.h"

#include "app/cli/fragments/drawing.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

// "9,4", or "1,9,4" with the matrix first.
std::optional<FragmentPlace> place_from(const std::string& text) {
    std::vector<int> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        int number = 0;
        const auto [rest, problem] = std::from_chars(at, end, number);
        if (problem != std::errc{} || number < 0 || (rest != end && *rest != ',')) return {};
        numbers.push_back(number);
        at = rest == end ? end : rest + 1;
    }
    if (numbers.size() == 2) numbers.insert(numbers.begin(), 0);
    if (numbers.size() != 3) return {};
    return FragmentPlace{
        static_cast<int16_t>(numbers[1]), static_cast<int16_t>(numbers[2]), static_cast<int16_t>(numbers[0])};
}

FragmentPlace element_of(const fragments::Map& map, const std::string& text) {
    const std::optional<FragmentPlace> place = place_from(text);
    if (!place) throw Error("--element " + text + ": write ROW,COLUMN, or MATRIX,ROW,COLUMN of several");
    const FragmentLayout& l = map.layout;
    if (place->row >= l.rows || place->column >= l.columns || place->matrix >= l.matrices)
        throw Error(fmt::format(
            "--element {}: {} has {} rows and {} columns{}",
            text,
            map.name,
            l.rows,
            l.columns,
            l.matrices > 1 ? fmt::format(", and {} matrices", l.matrices) : ""
        ));
    return *place;
}

FragmentAnswer answer_about(fragments::Map map, const FragmentOptions& o) {
    FragmentAnswer a{std::move(map), {}, {}, o.lane, o.reg, {}};
    if (!o.element.empty()) {
        a.element = element_of(a.map, o.element);
        a.holders = fragments::holders(a.map, *a.element);
    }
    if (o.reg >= 0 && o.lane < 0) throw Error("--register is of a lane: name it with --lane");
    if (o.lane >= a.map.lanes)
        throw Error(fmt::format("--lane {}: {} has lanes 0 to {}", o.lane, a.map.name, a.map.lanes - 1));
    if (o.reg >= a.map.layout.registers)
        throw Error(fmt::format(
            "--register {}: a lane of {} has registers 0 to {}", o.reg, a.map.name, a.map.layout.registers - 1
        ));
    if (o.lane >= 0) a.held = fragments::held(a.map, o.lane, o.reg);
    return a;
}

}  // namespace

std::vector<FragmentAnswer> answer(const FragmentOptions& options) {
    std::vector<FragmentAnswer> answers;
    for (fragments::Map& map : fragments::maps_named(join(options.words, " ")))
        answers.push_back(answer_about(std::move(map), options));
    return answers;
}

int verb_fragments(const Command& command) {
    if (command.fragments.words.empty()) {
        print_text(fragments_list());
        return kExitOk;
    }
    const std::vector<FragmentAnswer> answers = answer(command.fragments);
    if (!command.out.empty()) {
        write_drawing(
            command.out,
            {fragments_text(answers),
             [&] { return json_text(fragments_json(answers)); },
             [&] { return fragments_sheet(answers, command.fragments.colour); }}
        );
        if (!command.output.quiet) print_notice(command.out + "\n");
        return kExitOk;
    }
    const std::string text =
        command.output.json ? json_text(fragments_json(answers)) + "\n" : fragments_text(answers);
    print_text(text);
    return kExitOk;
}

}  // namespace wl::app
