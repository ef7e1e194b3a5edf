// warplens fragments: maps by name, what an element's lanes and a lane's elements are, and pictures of them.
#pragma once

#include "app/cli/options.h"
#include "app/draw/sheet.h"
#include "instrumentation/fragments/names.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct FragmentAnswer {
    fragments::Map map;
    std::optional<FragmentPlace> element;    // that was asked for
    std::vector<fragments::Holder> holders;  // of it
    int lane = -1, reg = -1;                 // that were asked for
    std::vector<fragments::Held> held;
};
// Throws Error: unknown words, an element or a lane that no map has.
std::vector<FragmentAnswer> answer(const FragmentOptions& options);

std::string fragments_list();  // without an instruction: what there is
std::string fragments_text(const std::vector<FragmentAnswer>& answers);
nlohmann::ordered_json fragments_json(const std::vector<FragmentAnswer>& answers);
Sheet fragments_sheet(const std::vector<FragmentAnswer>& answers, const std::string& colour);

}  // namespace wl::app
