// What a thread could do otherwise at a place: leave, leave a statement out, take another value. One text
// holds all of them, and each thread does one at some of its turns.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/angelic/sites.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Action {
    enum class Kind : uint8_t { leave, skip, value };
    Kind kind = Kind::leave;
    AngelicSite at = {};    // the statement that it stands before or leaves out, or the expression
    std::string text = {};  // "return;", "continue;", "0"; empty of what is left out
};

// On lines that `context` suspects, the nearest first, `most` of them.
std::vector<Action> actions_of(
    const rewrite::Source& source, const rewrite::SearchContext& context, size_t most
);

// An action is open as a site is (kSite): it is done at turns whose kSiteBy is not 0. Lines of the action k
// are counted from (k + 1) times compile_whole's number.
std::string with_actions(const rewrite::Source& source, const std::vector<Action>& actions, int64_t threads);

// What a condition there can be made of, as expressions of floats.
std::vector<std::string> known_at(const rewrite::Source& source, const Action& action, size_t most);

// Done where the condition holds; of what is left out, `condition` is where it stays.
rewrite::Rewrite done_where(
    const rewrite::Source& source, const Action& action, const std::string& condition
);

}  // namespace wl::diagnosis
