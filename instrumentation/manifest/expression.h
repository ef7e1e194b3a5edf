// Expressions with the distinction that launch shapes need: whole numbers divide as whole numbers.
#pragma once

#include <map>
#include <string>

namespace wl::manifest {

struct Number {
    double value = 0;
    bool whole = false;  // exact integer arithmetic so far, |value| <= 2^53
};

// As evaluate() of manifest.h, keeping what kind of number came out.
Number evaluate_number(
    const std::string& expression, const std::map<std::string, double>& variables, const std::string& where
);

// A whole number of at least `least`; Error otherwise.
int64_t evaluate_whole(
    const std::string& expression,
    const std::map<std::string, double>& variables,
    const std::string& where,
    int64_t least
);

bool is_identifier(const std::string& name);     // a C name
bool is_function_name(const std::string& name);  // min, ceil_div, ...
std::string number_text(double value);           // shortest decimal that reads back: "64", "0.125"

}  // namespace wl::manifest
