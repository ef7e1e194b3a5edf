// Requests are laid over the whole matrix, side by side.
#include "instrumentation/layouts/conflicts.h"

#include "instrumentation/base/banks.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::layouts {
namespace {

// The first element of a lane's piece, from that of the request.
struct Place {
    int64_t row = 0, col = 0;
};

std::vector<Place> places(const Access& a, int64_t columns, int64_t per) {
    std::vector<Place> all;
    const int64_t across = std::max<int64_t>(1, columns / per);  // pieces of a row
    for (int64_t lane = 0; lane < a.pieces; ++lane) {
        if (a.matrix)
            all.push_back({lane % 16, lane / 16 * per});
        else if (a.down)
            all.push_back({lane, 0});
        else
            all.push_back({lane / across, lane % across * per});
    }
    return all;
}

// Bytes of the piece lie one behind the other, aligned.
bool is_whole(const Swizzled& l, const Place& p, int64_t per, int64_t element, int64_t bytes) {
    const int64_t first = offset(l, p.row, p.col);
    if (first < 0 || first * element % bytes != 0) return false;
    for (int64_t i = 1; i < per; ++i)
        if (offset(l, p.row, p.col + i) != first + i) return false;
    return true;
}

}  // namespace

std::vector<std::string> access_names() {
    std::vector<std::string> names = {"ldmatrix", "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4"};
    for (const char* each : {"ld.shared", "ld.shared.v2", "ld.shared.v4"}) {
        names.emplace_back(each);
        names.push_back(std::string(each) + " down");
    }
    return names;
}

Access access_named(const std::string& given) {
    const std::string name = given == "ldmatrix" ? "ldmatrix.x4" : given;
    const std::vector<std::string> known = access_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        const std::string near = nearest_word(name, known);
        throw Error(fmt::format(
            "--banks {}: no such access; {}",
            given,
            near.empty() ? "there are " + join(known, ", ") : "did you mean " + near + "?"
        ));
    }
    Access a;
    a.name = name;
    a.matrix = name.starts_with("ldmatrix");
    a.down = name.ends_with("down");
    if (a.matrix) a.pieces = 8 * (name.back() - '0');
    if (!a.matrix)
        a.bytes = name.find("v4") != std::string::npos ? 16 : name.find("v2") != std::string::npos ? 8 : 4;
    return a;
}

Conflicts conflicts(const Swizzled& layout, const Access& access, int element) {
    Conflicts c;
    if (layout.layout.modes.size() != 2) {
        c.problem = "an access needs a layout of two modes, rows and columns";
        return c;
    }
    const int64_t rows = size(layout.layout.modes[0]), columns = size(layout.layout.modes[1]);
    const int64_t per = std::max(1, access.bytes / element);
    const std::vector<Place> lanes = places(access, columns, per);
    int64_t down = 0, across = 0;
    for (const Place& p : lanes) down = std::max(down, p.row + 1), across = std::max(across, p.col + per);
    if (access.bytes % element != 0 || down > rows || across > columns) {
        c.problem = fmt::format(
            "{} touches {} x {} elements, and the layout has {} x {}",
            access.name,
            down,
            across,
            rows,
            columns
        );
        return c;
    }
    for (int64_t row = 0; row + down <= rows; row += down)
        for (int64_t col = 0; col + across <= columns; col += across) {
            LaneAccesses request;
            request.kind = access.matrix ? AccessKind::matrix : AccessKind::load;
            request.bytes = static_cast<uint8_t>(access.bytes);
            for (size_t lane = 0; lane < lanes.size(); ++lane) {
                const Place at{row + lanes[lane].row, col + lanes[lane].col};
                if (!is_whole(layout, at, per, element, access.bytes)) {
                    c.problem = fmt::format(
                        "element ({}, {}) does not begin {} bytes that lie together, aligned",
                        at.row,
                        at.col,
                        access.bytes
                    );
                    return c;
                }
                request.mask |= 1u << lane;
                request.at[lane] = static_cast<uint64_t>(offset(layout, at.row, at.col) * element);
            }
            const BankCost cost = bank_cost(request);
            ++c.requests;
            c.wavefronts += cost.wavefronts, c.ideal += cost.ideal, c.worst = std::max(c.worst, cost.degree);
        }
    return c;
}

std::optional<Swizzle> free_swizzle(const Layout& layout, const Access& access, int element) {
    for (int bits = 1; bits <= 5; ++bits)
        for (int base = 0; base <= 6; ++base)
            for (int shift = bits; shift <= 8; ++shift) {
                const Conflicts c = conflicts(
                    {
                        Swizzle{bits, base, shift},
                        layout
                },
                    access,
                    element
                );
                if (c.problem.empty() && c.wavefronts == c.ideal) return Swizzle{bits, base, shift};
            }
    return {};
}

}  // namespace wl::layouts
