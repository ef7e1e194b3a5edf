// A row of the table at one place of a source.
#pragma once

#include "instrumentation/diagnosis/rewrite/table/table.h"

#include <optional>

namespace wl::diagnosis::rewrite {

// With the row's anchor at the token, of what begins `here`; nothing: it does not stand there.
std::optional<Match> match_at(
    const Source& s, const Body& body, const Row& row, int token, int here, const Bound* unread
);
bool passes(const Match& m, const std::vector<Test>& tests, const Variable& v, int token);

// By name, null where there is none: of variables, and of what a hole stands for.
using VariableTest = decltype(Test::holds);
VariableTest variable_test(std::string_view name);
using HoleCondition = decltype(Condition::holds);
HoleCondition hole_condition(std::string_view name);

}  // namespace wl::diagnosis::rewrite
