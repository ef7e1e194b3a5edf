// Models wmma.load and wmma.store in every layout, stride and space: PTX ISA 9.7.14.4.3, 9.7.14.4.4. Each
// lane moves its own elements, as an H200 does. Not modelled: the ISA asks for more alignment than that GPU;
// only what it needs is checked.
#include "instrumentation/emulator/exec/matrix/matrix.h"
#include "instrumentation/emulator/exec/memory/memory_forms.h"
#include "instrumentation/emulator/observe/hooks.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wl::emulator {
namespace {

using ptx::Space;

constexpr size_t kMostWords = 16;  // of a lane's fragment
struct Staged {
    alignas(64) uint32_t words[kMostWords][kLanes];  // (word of the fragment, lane)
};

// Where the matrix of each lane begins, and how many bytes lie from line to line.
struct Bases {
    alignas(64) uint64_t address[kLanes];
    alignas(64) uint64_t stride[kLanes];
    bool same = true;
};
void find_bases(Warp& w, const Instr* i, const MatrixMove& m, Bases& b) {
    const uint32_t* stride = cells<uint32_t>(w, m.stride_slot);
    const int first = first_lane(w.mask);
    uint64_t difference = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        b.address[lane] = address_of(w, i, m.wide_base, lane);
        b.stride[lane] = uint64_t{stride[lane]} * m.element_bits / 8;
    }
    for (int lane = 0; lane < kLanes; ++lane)
        if (has_lane(w.mask, lane))
            difference |= (b.address[lane] ^ b.address[first]) | (b.stride[lane] ^ b.stride[first]);
    b.same = difference == 0;
}

// The whole matrix, when all lanes name the same one and all of it is there; else the lanes are looked at
// alone.
std::optional<Place> find_matrix(Warp& w, const Instr* i, const MatrixMove& m, const Bases& b, bool write) {
    const int lane = first_lane(w.mask);
    const uint64_t stride = b.stride[lane], extent = (m.lines - 1) * stride + m.line_bytes;
    if (!b.same || extent > 0xffffffff || b.address[lane] % m.align != 0 || stride % m.align != 0) return {};
    auto place = locate(w, {m.space, lane, b.address[lane], static_cast<uint32_t>(extent), write});
    if (place && place->space == Space::local) return {};
    const Allocation* meant = w.block->meant[i->site];
    if (place && place->allocation != nullptr && meant != nullptr && place->allocation != meant) return {};
    return place;
}

bool rows_written(const MatrixMove& m, const Place& place, uint64_t stride) {
    const auto& written = place.allocation->written;
    if (written.empty()) return true;
    for (uint32_t line = 0; line < m.lines; ++line) {
        const auto first = written.begin() + static_cast<std::ptrdiff_t>(place.offset + line * stride);
        if (std::find(first, first + m.line_bytes, uint8_t{0}) != first + m.line_bytes) return false;
    }
    return true;
}

// ---- between memory and staged words

// A piece of one lane: into whole words, or a part of one word that was 0.
template <uint32_t Bytes>
inline void stage(Staged& s, uint32_t at, int lane, const std::byte* from) {
    if constexpr (Bytes >= 4) {
        for (uint32_t k = 0; k < Bytes / 4; ++k) std::memcpy(&s.words[at / 4 + k][lane], from + 4 * k, 4);
    } else {
        uint32_t part = 0;
        std::memcpy(&part, from, Bytes);
        s.words[at / 4][lane] |= part << (8 * (at % 4));
    }
}
template <uint32_t Bytes>
inline void unstage(const Staged& s, uint32_t at, int lane, std::byte* to) {
    if constexpr (Bytes >= 4) {
        for (uint32_t k = 0; k < Bytes / 4; ++k) std::memcpy(to + 4 * k, &s.words[at / 4 + k][lane], 4);
    } else {
        const uint32_t part = s.words[at / 4][lane] >> (8 * (at % 4));
        std::memcpy(to, &part, Bytes);
    }
}

template <class F>
void with_size(uint32_t bytes, F f) {
    switch (bytes) {
        case 1: f(std::integral_constant<uint32_t, 1>{}); break;
        case 2: f(std::integral_constant<uint32_t, 2>{}); break;
        case 4: f(std::integral_constant<uint32_t, 4>{}); break;
        case 8: f(std::integral_constant<uint32_t, 8>{}); break;
        default: f(std::integral_constant<uint32_t, 16>{}); break;
    }
}

void write_registers(Warp& w, const MatrixMove& m, const Staged& s) {
    for (size_t r = 0; r < m.slots.size(); ++r) {
        const size_t from = r % static_cast<size_t>(m.distinct);
        if (!m.wide_registers) {
            write_lanes<uint32_t>(w, m.slots[r], [&](int lane) { return s.words[from][lane]; });
            continue;
        }
        write_lanes<uint64_t>(w, m.slots[r], [&](int lane) {
            return s.words[2 * from][lane] | uint64_t{s.words[2 * from + 1][lane]} << 32;
        });
    }
}
void read_registers(Warp& w, const MatrixMove& m, Staged& s) {
    for (size_t r = 0; r < m.slots.size(); ++r) {
        if (!m.wide_registers) {
            std::memcpy(s.words[r], cells<uint32_t>(w, m.slots[r]), sizeof(s.words[r]));
            continue;
        }
        const uint64_t* cell = cells<uint64_t>(w, m.slots[r]);
        for (int lane = 0; lane < kLanes; ++lane) {
            s.words[2 * r][lane] = static_cast<uint32_t>(cell[lane]);
            s.words[2 * r + 1][lane] = static_cast<uint32_t>(cell[lane] >> 32);
        }
    }
}

// ---- observers

struct PieceLanes {
    alignas(64) uint32_t at[kLanes] = {};
    uint32_t mask = 0;
};
void observe_piece(
    Warp& w, const Instr* i, Touching how, const PieceLanes& lanes, const Staged& s, const MatrixPiece& piece
) {
    const uint32_t bytes = plan_of(w, i).move.piece_bytes;
    if (lanes.mask == 0 || w.block->now.variant == kPlain) return;
    Values values;
    values.components = std::max(1u, bytes / 4);
    for (uint32_t c = 0; c < values.components; ++c)
        values.values[c] = reinterpret_cast<const std::byte*>(s.words[piece.element_byte / 4 + c]);
    values.values[0] += piece.element_byte % 4;
    observe_shared(w, i, {how, lanes.mask, bytes, lanes.at}, values);
}

void observe_rows(Warp& w, const Instr* i, const MatrixMove& m, const Place& place, uint64_t stride) {
    RowsAccess access;
    access.warp = w.index;
    access.site = i->site;
    access.mask = w.mask;
    access.offset = static_cast<uint32_t>(place.offset);
    access.bytes = m.line_bytes;
    access.rows = m.lines;
    access.stride = static_cast<uint32_t>(stride);
    access.memory = w.shared;
    read_rows(w.block->shadow, access);
}

// ---- lane by lane: faulty pieces are suppressed and noted

std::optional<Place> find_piece(
    Warp& w, const Instr* i, const MatrixMove& m, const Bases& b, const MatrixPiece& piece, LaneAccess access
) {
    const auto lane = static_cast<size_t>(access.lane);
    const uint64_t line = b.address[lane] + piece.line[lane] * b.stride[lane];
    access.address = line % m.align == 0 ? line + piece.byte[lane] : line;
    return resolve_aligned(w, i, access, m.align);
}

void load_apart(Warp& w, const Instr* i, const MatrixMove& m, const Bases& b, Staged& s) {
    const bool check = w.block->now.variant != kPlain && w.block->context.options->checks.uninitialised;
    for (const MatrixPiece& piece : m.pieces) {
        PieceLanes shared;
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const auto place = find_piece(w, i, m, b, piece, {m.space, lane, 0, m.piece_bytes, false});
            std::byte value[16];
            std::memset(value, 0xff, sizeof(value));
            if (place) {
                std::memcpy(value, place->data, m.piece_bytes);
                if (place->space == Space::shared) {
                    shared.at[lane] = static_cast<uint32_t>(place->offset);
                    shared.mask |= 1u << lane;
                }
                if (check && place->allocation != nullptr) check_written(w, i, lane, *place, m.piece_bytes);
            }
            with_size(m.piece_bytes, [&](auto bytes) { stage<bytes>(s, piece.element_byte, lane, value); });
        }
        observe_piece(w, i, Touching::read, shared, s, piece);
    }
}

void wrote_global(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes) {
    if (!place.allocation->written.empty())
        std::memset(place.allocation->written.data() + place.offset, 1, bytes);
    if (w.block->now.variant == kRecorded) record_global(w, i, lane, place, bytes);
}

void store_apart(Warp& w, const Instr* i, const MatrixMove& m, const Bases& b, const Staged& s) {
    for (const MatrixPiece& piece : m.pieces) {
        PieceLanes shared;
        std::array<std::optional<Place>, kLanes> places;
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const auto place = find_piece(w, i, m, b, piece, {m.space, lane, 0, m.piece_bytes, true});
            places[static_cast<size_t>(lane)] = place;
            if (!place || place->space != Space::shared) continue;
            shared.at[lane] = static_cast<uint32_t>(place->offset);
            shared.mask |= 1u << lane;
        }
        observe_piece(w, i, Touching::write, shared, s, piece);
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const std::optional<Place>& place = places[static_cast<size_t>(lane)];
            if (!place) continue;
            with_size(m.piece_bytes, [&](auto bytes) {
                unstage<bytes>(s, piece.element_byte, lane, place->data);
            });
            if (place->allocation != nullptr) wrote_global(w, i, lane, *place, m.piece_bytes);
        }
        if (shared.mask != 0) after_store(w, i, {Touching::write, shared.mask, m.piece_bytes, shared.at});
    }
}

// ---- the whole matrix at once

template <uint32_t Bytes>
void load_together(const MatrixMove& m, const std::byte* matrix, uint64_t stride, Staged& s) {
    for (const MatrixPiece& piece : m.pieces)
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto l = static_cast<size_t>(lane);
            stage<Bytes>(s, piece.element_byte, lane, matrix + piece.line[l] * stride + piece.byte[l]);
        }
}

template <uint32_t Bytes>
void store_together(Warp& w, const MatrixMove& m, std::byte* matrix, uint64_t stride, const Staged& s) {
    for (const MatrixPiece& piece : m.pieces)
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const auto l = static_cast<size_t>(first_lane(rest));
            unstage<Bytes>(
                s, piece.element_byte, static_cast<int>(l), matrix + piece.line[l] * stride + piece.byte[l]
            );
        }
}

// visit(piece, lanes) for each piece of a matrix that lies in shared memory.
template <class Visit>
void each_piece(Warp& w, const MatrixMove& m, const Place& whole, uint64_t stride, Visit visit) {
    for (const MatrixPiece& piece : m.pieces) {
        PieceLanes lanes;
        lanes.mask = w.mask;
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const auto l = static_cast<size_t>(first_lane(rest));
            lanes.at[l] = static_cast<uint32_t>(whole.offset + piece.line[l] * stride + piece.byte[l]);
        }
        visit(piece, lanes);
    }
}

void wrote_matrix(Warp& w, const Instr* i, const MatrixMove& m, const Place& whole, uint64_t stride) {
    for (const MatrixPiece& piece : m.pieces)
        for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
            const auto l = static_cast<size_t>(first_lane(rest));
            const uint64_t within = piece.line[l] * stride + piece.byte[l];
            const Place place{whole.space, whole.data + within, whole.allocation, whole.offset + within};
            wrote_global(w, i, static_cast<int>(l), place, m.piece_bytes);
        }
}

}  // namespace

const Instr* load_fragment(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixMove& m = plan_of(w, i).move;
    Bases bases;
    find_bases(w, i, m, bases);
    Staged staged = {};
    auto place = find_matrix(w, i, m, bases, false);
    const uint64_t stride = bases.stride[first_lane(w.mask)];
    const bool observed = place && place->space == Space::shared && w.block->now.variant != kPlain;
    const bool words = place && (place->offset | stride | m.line_bytes) % 4 == 0;
    const bool known = !place || place->allocation == nullptr || w.block->now.variant == kPlain ||
        !w.block->context.options->checks.uninitialised || rows_written(m, *place, stride);
    if (!place || (observed && !words) || !known) {
        load_apart(w, i, m, bases, staged);
    } else {
        with_size(m.piece_bytes, [&](auto bytes) { load_together<bytes>(m, place->data, stride, staged); });
        if (observed) observe_rows(w, i, m, *place, stride);
    }
    write_registers(w, m, staged);
    return i + 1;
}

const Instr* store_fragment(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    const MatrixMove& m = plan_of(w, i).move;
    Bases bases;
    find_bases(w, i, m, bases);
    Staged staged;
    read_registers(w, m, staged);
    const auto place = find_matrix(w, i, m, bases, true);
    if (!place) {
        store_apart(w, i, m, bases, staged);
        return i + 1;
    }
    const uint64_t stride = bases.stride[first_lane(w.mask)];
    const bool observed = place->space == Space::shared && w.block->now.variant != kPlain;
    if (observed)
        each_piece(w, m, *place, stride, [&](const MatrixPiece& piece, const PieceLanes& lanes) {
            observe_piece(w, i, Touching::write, lanes, staged, piece);
        });
    with_size(m.piece_bytes, [&](auto bytes) { store_together<bytes>(w, m, place->data, stride, staged); });
    if (place->space != Space::shared) wrote_matrix(w, i, m, *place, stride);
    if (observed && w.block->recorder != nullptr)
        each_piece(w, m, *place, stride, [&](const MatrixPiece&, const PieceLanes& lanes) {
            after_store(w, i, {Touching::write, lanes.mask, m.piece_bytes, lanes.at});
        });
    return i + 1;
}

}  // namespace wl::emulator
