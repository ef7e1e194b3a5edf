// Lists of numbers as JSON, which knows no NaN and no infinity: these become words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace wl::app {

nlohmann::ordered_json numbers_json(const std::vector<double>& numbers);
std::vector<double> numbers_from(const nlohmann::json& list);

}  // namespace wl::app
