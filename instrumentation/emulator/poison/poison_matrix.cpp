// Poison through what a whole warp does together: shuffles, votes, and moves and products of matrices,
// element by element: an element of a product is poisoned by its row of a, its column of b and its own
// addend.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>
#include <array>

namespace wl::emulator {
namespace {

using ptx::Mode;
using Way = PoisonWay;

// ---- between registers of lanes

void shuffle(Poison& p) {
    const PoisonStep& s = *p.step;
    const PoisonSource& value = s.sources.front();
    std::array<Taint, kLanes> taken{};
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const auto l = static_cast<size_t>(lane);
        const uint32_t b = cells<uint32_t>(*p.warp, p.at->r[3])[lane],
                       c = cells<uint32_t>(*p.warp, p.at->r[4])[lane];
        const int from = shuffle_source(s.in->modifiers.mode, static_cast<uint32_t>(lane), b, c);
        const uint32_t members = cells<uint32_t>(*p.warp, p.at->r[5])[lane];
        if (!has_lane(p.lanes & members, from))
            taken[l] = p.as_zero ? Taint{} : Taint{~uint64_t{0}, born_in_shuffle(p, lane)};
        else if (value.cell.bits != 0)
            taken[l] = read_taint(p, value.cell, from);
    }
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        write_taint(p, s.results[0], lane, taken[static_cast<size_t>(lane)]);
        for (size_t k = 1; k < s.results.size(); ++k) write_taint(p, s.results[k], lane, {});
    }
}

// One value for all lanes, from all lanes: a ballot keeps them apart.
void across(Poison& p) {
    const PoisonStep& s = *p.step;
    Taint sum;
    for (const PoisonSource& source : s.sources) {
        for (uint32_t rest = tainted_lanes(p, source.cell, p.lanes); rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const Taint t = read_taint(p, source.cell, lane);
            sum.birth = sum.bits == 0 ? t.birth : sum.birth;
            sum.bits |= s.way == Way::ballot ? uint64_t{1} << lane : ~uint64_t{0};
        }
    }
    for (const PoisonCell& cell : s.results)
        for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1)
            write_taint(p, cell, first_lane(rest), sum);
}

// ---- fragments: each lane's registers as a row of bytes

struct LaneBytes {
    std::array<uint8_t, 64> bits{};
    std::array<uint32_t, 64> birth{};
};

void set_bytes(LaneBytes& row, size_t at, Taint t, size_t bytes) {
    for (size_t k = 0; k < bytes; ++k) {
        row.bits[at + k] = static_cast<uint8_t>(t.bits >> (8 * k));
        row.birth[at + k] = t.birth;
    }
}
Taint get_bytes(const LaneBytes& row, size_t at, size_t bytes) {
    Taint t;
    for (size_t k = 0; k < bytes; ++k) {
        if (row.bits[at + k] == 0) continue;
        if (t.bits == 0) t.birth = row.birth[at + k];
        t.bits |= uint64_t{row.bits[at + k]} << (8 * k);
    }
    return t;
}
LaneBytes read_row(Poison& p, const std::vector<uint32_t>& slots, uint32_t cell, int lane) {
    LaneBytes row;
    const size_t most = row.bits.size() / cell;
    for (size_t k = 0; k < std::min(slots.size(), most); ++k)
        set_bytes(row, k * cell, read_cell(p, slots[k], cell, lane), cell);
    return row;
}

// Bytes of the matrix to bytes of the row.
void load_piece(Poison& p, const TaintPlace& from, uint32_t bytes, LaneBytes& row, size_t at) {
    const TaintedBytes* t = bytes_of(p, from.place, from.lane, from.place.offset + bytes);
    if (t == nullptr) return;
    bool known = true;
    for (uint32_t k = 0; k < bytes; k += 8) {
        Taint unused;
        known = known && find_known(*t, from.place.offset + k, std::min(8u, bytes - k), unused);
    }
    if (!known) {
        for (uint32_t k = 0; k < bytes; ++k) set_bytes(row, at + k, read_bytes(p, from, k, 1), 1);
        return;
    }
    std::copy_n(t->bits.data() + from.place.offset, bytes, row.bits.data() + at);
    std::copy_n(t->birth.data() + from.place.offset, bytes, row.birth.data() + at);
}

void store_piece(Poison& p, const TaintPlace& to, uint32_t bytes, const LaneBytes& row, size_t at) {
    for (uint32_t k = 0; k < bytes; ++k) {
        const Taint t = get_bytes(row, at + k, 1);
        if (t.bits != 0 && to.place.space == ptx::Space::global) leaves(p, t.birth, to);
        write_bytes(p, to, k, 1, t);
    }
}

void move_fragment(Poison& p, int lane) {
    const MatrixMove& m = plan_of(*p.warp, p.at).move;
    const bool stores = p.step->way == Way::store_fragment;
    const uint32_t cell = m.wide_registers ? 8 : 4;
    LaneBytes row;
    if (stores) row = read_row(p, m.slots, cell, lane);
    for (const MatrixPiece& piece : m.pieces) {
        const uint64_t address = piece_address(*p.warp, p.at, m, piece, lane);
        const auto place = locate(*p.warp, {m.space, lane, address, m.piece_bytes, false});
        if (!place) continue;
        if (stores)
            store_piece(p, {*place, lane, address}, m.piece_bytes, row, piece.element_byte);
        else
            load_piece(p, {*place, lane, address}, m.piece_bytes, row, piece.element_byte);
    }
    if (stores) return;
    for (size_t r = 0; r < m.slots.size(); ++r) {
        const size_t from = r % static_cast<size_t>(m.distinct) * cell;
        write_cell(p, m.slots[r], cell, lane, get_bytes(row, from, cell));
    }
}

// Row r of matrix q lies where lane 8q + r points.
std::optional<TaintPlace> row_of(Poison& p, const MatrixMove& m, int row) {
    const uint64_t address = row_address(*p.warp, p.at, m, row);
    const auto place = locate(*p.warp, {ptx::Space::shared, row, address, 16, false});
    if (!place) return {};
    return TaintPlace{*place, row, address};
}

void move_rows(Poison& p) {
    const MatrixMove& m = plan_of(*p.warp, p.at).move;
    std::array<std::optional<TaintPlace>, kLanes> rows;
    for (size_t row = 0; row < 8 * m.slots.size(); ++row) rows.at(row) = row_of(p, m, static_cast<int>(row));
    for (uint32_t rest = p.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        for (size_t matrix = 0; matrix < m.slots.size(); ++matrix) {
            const bool stores = p.step->way == Way::store_rows;
            Taint whole = stores ? read_cell(p, m.slots[matrix], 4, lane) : Taint{};
            for (uint32_t half = 0; half < 2; ++half) {
                const size_t index = m.index[(2 * matrix + half) * kLanes + static_cast<size_t>(lane)];
                const auto& row = rows[index / 8];
                if (!row) continue;
                const auto at = static_cast<uint32_t>(2 * (index % 8));
                if (stores) {
                    write_bytes(p, *row, at, 2, {whole.bits >> (16 * half), whole.birth});
                    continue;
                }
                const Taint t = read_bytes(p, *row, at, 2);
                if (whole.bits == 0) whole.birth = t.birth;
                whole.bits |= t.bits << (16 * half);
            }
            if (!stores) write_cell(p, m.slots[matrix], 4, lane, whole);
        }
    }
}

void transpose(Poison& p) {
    const PoisonCell from = p.step->sources.front().cell, to = p.step->results.front();
    std::array<Taint, 64> matrix{};  // (row, column)
    for (int lane = 0; lane < kLanes; ++lane) {
        const Taint t = from.bits != 0 ? read_taint(p, from, lane) : Taint{};
        for (unsigned half = 0; half < 2; ++half)
            matrix[static_cast<size_t>(2 * lane) + half] = {t.bits >> (16 * half) & 0xffff, t.birth};
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        Taint t;
        for (unsigned half = 0; half < 2; ++half) {
            const Taint& e =
                matrix[static_cast<size_t>(lane % 4 * 2) * 8 + half * 8 + static_cast<size_t>(lane / 4)];
            if (t.bits == 0) t.birth = e.birth;
            t.bits |= e.bits << (16 * half);
        }
        write_taint(p, to, lane, t);
    }
}

// ---- products

uint8_t bits_of_cell(const MatrixFragment& f) { return f.bits == 64 ? 64 : 32; }

// The registers of a fragment as p.rows; the lanes that have something poisoned there.
uint32_t read_fragment(Poison& p, const MatrixFragment& f) {
    std::vector<PoisonCell>& cells_read = p.fragment;
    cells_read.clear();
    for (const uint32_t slot : f.slots) cells_read.push_back({slot, bits_of_cell(f)});
    read_rows(p, cells_read, kAllLanes);
    uint32_t lanes = 0;
    for (size_t k = 0; k < f.slots.size(); ++k)
        lanes |= mask_of([&](int lane) { return p.rows[k].bits[static_cast<size_t>(lane)] != 0; });
    return lanes;
}

// visit(element's place in its matrix, birth) for each poisoned element.
template <class Visit>
void each_poisoned(Poison& p, const MatrixFragment& f, Visit visit) {
    const auto elements = f.index.size() / kLanes;
    const size_t of_cell = bits_of_cell(f) / static_cast<size_t>(f.bits);
    for (uint32_t rest = read_fragment(p, f); rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        for (size_t e = 0; e < elements; ++e) {
            const PoisonRow& row = p.rows[e / of_cell];
            const uint64_t bits = row.bits[lane] >> (e % of_cell * static_cast<size_t>(f.bits));
            if ((bits & ones(static_cast<unsigned>(f.bits))) != 0)
                visit(size_t{f.index[e * kLanes + lane]}, row.birth[lane]);
        }
    }
}

bool any_poison(const Poison& p, const MatrixFragment& f) {
    return std::any_of(f.slots.begin(), f.slots.end(), [&](uint32_t slot) {
        const bool constant = slot / 4 >= p.registers->bits.size();
        return !constant && tainted_lanes(p, {slot, bits_of_cell(f)}, kAllLanes) != 0;
    });
}

// Births by row, column or element of a matrix; the first one stays.
using BirthsOf = std::vector<uint32_t>;
void note(BirthsOf& births, size_t at, uint32_t birth) {
    if (at >= births.size()) births.resize(at + 1, kUnread);
    if (births[at] == kUnread) births[at] = birth;
}
uint32_t birth_at(const BirthsOf& births, size_t at) { return at < births.size() ? births[at] : kUnread; }

// Matrices of a product that has several lie one behind the other.
void multiply(Poison& p) {
    const MatrixProduct& m = plan_of(*p.warp, p.at).product;
    const bool some = any_poison(p, m.a) || any_poison(p, m.b) || any_poison(p, m.c);
    if (!some) {
        for (const PoisonCell& cell : p.step->results) clear(p, cell, kAllLanes);
        return;
    }
    const auto rows = static_cast<size_t>(m.rows), columns = static_cast<size_t>(m.columns),
               depth = static_cast<size_t>(m.depth);
    BirthsOf of_row, of_column, of_sum;
    each_poisoned(p, m.a, [&](size_t at, uint32_t birth) {
        note(of_row, at / static_cast<size_t>(m.stored), birth);
    });
    each_poisoned(p, m.b, [&](size_t at, uint32_t birth) {
        note(of_column, at / (depth * columns) * columns + at % columns, birth);
    });
    each_poisoned(p, m.c, [&](size_t at, uint32_t birth) { note(of_sum, at, birth); });
    const auto birth_of = [&](size_t at) {
        const size_t matrix = at / (rows * columns);
        if (const uint32_t birth = birth_at(of_sum, at); birth != kUnread) return birth;
        if (const uint32_t birth = birth_at(of_row, at / columns); birth != kUnread) return birth;
        return birth_at(of_column, matrix * columns + at % columns);
    };
    const auto elements = m.d.index.size() / kLanes;
    const size_t of_cell = bits_of_cell(m.d) / static_cast<size_t>(m.d.bits);
    for (size_t slot = 0; slot < m.d.slots.size(); ++slot) {
        PoisonRow out;
        out.bits.fill(0), out.birth.fill(kUnread);
        for (size_t e = slot * of_cell; e < std::min(elements, (slot + 1) * of_cell); ++e) {
            const uint64_t all = ones(static_cast<unsigned>(m.d.bits))
                << (e % of_cell * static_cast<size_t>(m.d.bits));
            for (size_t lane = 0; lane < kLanes; ++lane) {
                const uint32_t birth = birth_of(m.d.index[e * kLanes + lane]);
                if (birth == kUnread) continue;
                if (out.bits[lane] == 0) out.birth[lane] = birth;
                out.bits[lane] |= all;
            }
        }
        write_row(p, {m.d.slots[slot], bits_of_cell(m.d)}, kAllLanes, out);
    }
}

}  // namespace

int shuffle_source(Mode mode, uint32_t lane, uint32_t b, uint32_t c) {
    const uint32_t distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const auto most = static_cast<int>((lane & segment) | (clamp & ~segment));
    const int up = static_cast<int>(lane) - static_cast<int>(distance);
    if (mode == Mode::up) return up >= most ? up : static_cast<int>(lane);
    const uint32_t from = mode == Mode::down ? lane + distance
        : mode == Mode::bfly                 ? lane ^ distance
                                             : (lane & segment) | (distance & ~segment);
    return static_cast<int>(from) <= most ? static_cast<int>(from & 31) : static_cast<int>(lane);
}

void follow_warp(Poison& p) {
    if (p.step->way == Way::shuffle)
        shuffle(p);
    else
        across(p);
}

void follow_matrix(Poison& p) {
    switch (p.step->way) {
        case Way::load_rows:
        case Way::store_rows: return move_rows(p);
        case Way::transpose: return transpose(p);
        case Way::product: return multiply(p);
        default:
            for (int lane = 0; lane < kLanes; ++lane)
                if (has_lane(p.lanes, lane)) move_fragment(p, lane);
    }
}

}  // namespace wl::emulator
