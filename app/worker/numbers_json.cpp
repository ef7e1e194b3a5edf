// "nan", "inf" and "-inf" beside plain numbers.
#include "app/worker/numbers_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace wl::app {

nlohmann::ordered_json numbers_json(const std::vector<double>& numbers) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const double number : numbers) {
        if (std::isfinite(number))
            list.push_back(number);
        else
            list.push_back(std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
    }
    return list;
}

std::vector<double> numbers_from(const nlohmann::json& list) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> numbers;
    for (const nlohmann::json& each : list) {
        if (each.is_number())
            numbers.push_back(each);
        else if (each == "nan")
            numbers.push_back(std::numeric_limits<double>::quiet_NaN());
        else
            numbers.push_back(each == "inf" ? kInfinity : -kInfinity);
    }
    return numbers;
}

}  // namespace wl::app
