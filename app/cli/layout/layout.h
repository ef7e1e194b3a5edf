// warplens layout: what an expression of layouts is, where its elements lie, and what accesses of it cost.
#pragma once

#include "app/cli/options.h"
#include "app/draw/sheet.h"
#include "instrumentation/layouts/conflicts.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace wl::app {

struct LayoutAnswer {
    std::string expression;
    layouts::Swizzled layout;
    int element = 2;         // bytes
    bool one_to_one = true;  // no offset twice; asked of at most kMostOffsets elements
    std::optional<layouts::Conflicts> conflicts;
    std::optional<layouts::Swizzle> free;  // the swizzle that takes them away
    std::string access;
};
constexpr int64_t kMostOffsets = 1 << 20;

// Throws Error for what cannot be read.
LayoutAnswer answer(const LayoutOptions& options);

std::string layout_text(const LayoutAnswer& a);
nlohmann::ordered_json layout_json(const LayoutAnswer& a);
Sheet layout_sheet(const LayoutAnswer& a);  // Throws Error where it has no two modes, or too many elements

}  // namespace wl::app
