// Every operation works on flat lists of leaves; nesting is only carried along.
#include "instrumentation/layouts/layout.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace wl::layouts {
namespace {

void add_leaves(const Layout& l, std::vector<Layout>& out) {
    if (l.is_leaf()) out.push_back(l);
    for (const Layout& mode : l.modes) add_leaves(mode, out);
}
std::vector<Layout> leaves(const Layout& l) {
    std::vector<Layout> out;
    add_leaves(l, out);
    return out;
}

Layout leaf(int64_t shape, int64_t stride) { return {shape, stride, {}}; }

// One leaf stays a leaf.
Layout of_leaves(std::vector<Layout> all) {
    if (all.empty()) return leaf(1, 0);
    return all.size() == 1 ? all.front() : Layout{1, 0, std::move(all)};
}

std::string part_text(const Layout& l, bool strides) {
    if (l.is_leaf()) return std::to_string(strides ? l.stride : l.shape);
    std::string text;
    for (const Layout& mode : l.modes) text += (text.empty() ? "" : ",") + part_text(mode, strides);
    return "(" + text + ")";
}

// a after a leaf b of that shape and stride: skip `stride` elements of a, then keep `shape` of them.
Layout compose_leaf(const Layout& a, const Layout& b) {
    if (b.stride == 0) return leaf(b.shape, 0);
    const std::vector<Layout> flat = leaves(coalesce(a));
    std::vector<Layout> out;
    int64_t rest = b.shape, skip = b.stride;
    const auto refuse = [&] {
        throw Error(fmt::format(
            "{} o {}: no layout is this composition, extents do not divide", text_of(a), text_of(b)
        ));
    };
    for (size_t i = 0; i + 1 < flat.size(); ++i) {
        const auto [shape, stride, none] = flat[i];
        if (shape % skip != 0 && skip % shape != 0) refuse();
        const int64_t left = std::max<int64_t>(1, shape / skip), taken = std::min(left, rest);
        if (taken != 1) {
            if (rest % taken != 0) refuse();
            out.push_back(leaf(taken, skip * stride));
        }
        rest /= taken;
        skip = (skip + shape - 1) / shape;
    }
    if (rest != 1 || out.empty()) out.push_back(leaf(rest, skip * flat.back().stride));
    return of_leaves(std::move(out));
}

Layout compose_modes(const Layout& a, const Layout& b) {
    if (b.is_leaf()) return compose_leaf(a, b);
    Layout out;
    for (const Layout& mode : b.modes) out.modes.push_back(compose_modes(a, mode));
    return out;
}

// Do the two, side by side, take every offset below the target, and none twice?
bool fills(const Layout& l, const Layout& rest, int64_t target) {
    constexpr int64_t kMostLooked = 1 << 20;
    if (size(l) * size(rest) > kMostLooked) return false;
    std::set<int64_t> own, all;
    for (int64_t i = 0; i < size(l); ++i) own.insert(offset(l, i));
    for (const int64_t at : own)
        for (int64_t k = 0; k < size(rest); ++k)
            if (!all.insert(at + offset(rest, k)).second) return false;
    for (int64_t i = 0; i < target; ++i)
        if (!all.contains(i)) return false;
    return true;
}

}  // namespace

int64_t size(const Layout& l) {
    int64_t all = 1;
    for (const Layout& each : leaves(l)) all *= each.shape;
    return all;
}

int64_t cosize(const Layout& l) {
    int64_t last = 0;
    for (const Layout& each : leaves(l)) last += (each.shape - 1) * std::abs(each.stride);
    return last + 1;
}

std::string text_of(const Layout& l) { return part_text(l, false) + ":" + part_text(l, true); }

int64_t offset(const Layout& l, int64_t index) {
    if (l.is_leaf()) return index * l.stride;
    int64_t sum = 0;
    for (size_t i = 0; i < l.modes.size(); ++i) {
        const int64_t extent = size(l.modes[i]);
        const bool last = i + 1 == l.modes.size();
        sum += offset(l.modes[i], last ? index : index % extent);
        index /= extent;
    }
    return sum;
}

int64_t offset(const Layout& l, int64_t i, int64_t j) {
    return offset(l.modes[0], i) + offset(l.modes[1], j);
}

Layout flatten(const Layout& l) { return of_leaves(leaves(l)); }

Layout coalesce(const Layout& l) {
    std::vector<Layout> out;
    for (const Layout& each : leaves(l)) {
        if (each.shape == 1) continue;
        if (!out.empty() && out.back().shape * out.back().stride == each.stride)
            out.back().shape *= each.shape;
        else
            out.push_back(each);
    }
    return of_leaves(std::move(out));
}

// Mode by mode, as CuTe does it, is the composition only where no sum of b's offsets carries from one mode of
// a into the next.
Layout compose(const Layout& a, const Layout& b) {
    Layout out = compose_modes(a, b);
    for (int64_t i = 0; i < size(b); ++i)
        if (offset(out, i) != offset(a, offset(b, i)))
            throw Error(fmt::format("{} o {}: no layout is this composition", text_of(a), text_of(b)));
    return out;
}

Layout complement(const Layout& l, int64_t target) {
    std::vector<Layout> flat = leaves(l), out;
    std::erase_if(flat, [](const Layout& each) { return each.shape == 1 || each.stride == 0; });
    std::sort(flat.begin(), flat.end(), [](const Layout& x, const Layout& y) {
        return std::pair(x.stride, x.shape) < std::pair(y.stride, y.shape);
    });
    int64_t next = 1;
    bool sound = true, divides = true;
    for (const Layout& each : flat) {
        sound = sound && each.stride >= next;
        divides = divides && each.stride % next == 0;
        out.push_back(leaf(std::max<int64_t>(1, each.stride / next), next));
        next = each.shape * each.stride;
    }
    out.push_back(leaf((target + next - 1) / next, next));
    Layout made = coalesce(of_leaves(std::move(out)));
    if (!sound || (!divides && !fills(l, made, target)))
        throw Error(fmt::format(
            "complement({}, {}): its offsets overlap, or its strides leave gaps", text_of(l), target
        ));
    return made;
}

Layout divide(const Layout& a, const Layout& b) {
    return compose(
        a,
        {
            1, 0, {b, complement(b, size(a))}
    }
    );
}

Layout product(const Layout& a, const Layout& b) {
    return {
        1, 0, {a, compose(complement(a, size(a) * cosize(b)), b)}
    };
}

int64_t apply(const Swizzle& s, int64_t offset) {
    const int64_t mask = (int64_t{1} << s.bits) - 1;
    const int64_t from = offset & (mask << (s.base + std::max(s.shift, 0)));
    return offset ^ (s.shift >= 0 ? from >> s.shift : from << -s.shift);
}

std::string text_of(const Swizzle& s) { return fmt::format("Swizzle<{},{},{}>", s.bits, s.base, s.shift); }

}  // namespace wl::layouts
