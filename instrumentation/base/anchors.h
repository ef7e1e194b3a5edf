// One clock for two builds of a kernel. A warp of either comes into the same stages and to the same block
// barriers, so an instant of the one is told to the other by the two such places around it, and by how far
// the warp has come from the first to the second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl {

// "softmax#1": the warp comes into the stage for the second time. "barrier#3": it comes to its barrier of
// that number, "released#3": it goes on behind it. "start" and "end".
struct Anchor {
    std::string label;
    uint64_t time = 0;  // of the warp's clock in its build
    bool operator==(const Anchor&) const = default;
};
using Anchors = std::vector<Anchor>;  // of one warp, by rising time; the first is "start"

std::string stage_label(const std::string& stage, int before);
std::string barrier_label(int number, bool released);
constexpr const char *kStartLabel = "start", *kEndLabel = "end";

struct Between {
    std::string after, before;
    double share = 0;  // 0: at `after`
    bool operator==(const Between&) const = default;
};
// Of a warp with these anchors; of a time before the first or behind the last, that one.
Between between_at(const Anchors& anchors, uint64_t time);
// None: the warp comes to neither place.
std::optional<uint64_t> time_at(const Anchors& anchors, const Between& between);

std::string text_of(const Between& between);    // "softmax#1,barrier#4,0.25"
Between between_from(const std::string& text);  // throws Error

}  // namespace wl
