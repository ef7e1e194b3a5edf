#include "instrumentation/emulator/exec/matrix/warpgroup.h"
#include "instrumentation/emulator/global/proxies.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/observe/hooked.h"
#include "instrumentation/emulator/observe/incidents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

constexpr uint32_t kLines = 8;         // of a block
constexpr size_t kMostPending = 64;    // of a warp that never waits
constexpr uint32_t kElementBytes = 2;  // of a matrix by columns: f16, bf16

uint32_t field(uint64_t bits, int at) { return static_cast<uint32_t>(bits >> at & 0x3fff) << 4; }

void take_piece(WarpgroupReads& r, uint32_t offset, std::byte* out) {
    Warp& w = r.warp;
    if (uint64_t{offset} + kPieceBytes > w.shared_bytes) {
        std::memset(out, 0, kPieceBytes);
        resolve(w, r.instr, {ptx::Space::shared, first_lane(w.mask), offset, kPieceBytes, false});
        return;
    }
    std::memcpy(out, w.shared + offset, kPieceBytes);
    if (w.block->now.variant != kPlain) r.pieces.push_back(offset);
}

void read_again(Warp& w, const PendingProduct& p) {
    for (const auto& [offset, bytes] : p.runs) {
        RowsAccess access;
        access.warp = w.index;
        access.site = p.instr->site;
        access.mask = w.mask;
        access.offset = offset;
        access.bytes = bytes;
        access.memory = w.shared;
        read_rows(w.block->shadow, access);
    }
}

// What it reads must stay until it has been waited for, whoever writes.
void check_unchanged(Warp& w, const Instr* i, const PendingProduct& p) {
    const std::byte* before = p.bytes.data();
    for (const auto& [offset, bytes] : p.runs) {
        const auto [was, is] = std::mismatch(before, before + bytes, w.shared + offset);
        before += bytes;
        if (was == before) continue;
        Incident incident;
        incident.kind = Incident::Kind::async_copy_wait;
        incident.first = witness(w, p.instr, w.mask);
        incident.first.memory = "shared";
        incident.first.address = static_cast<uint64_t>(is - w.shared) & ~uint64_t{3};
        incident.first.bytes = 4;
        incident.second = witness(w, i, w.mask);
        incident.detail = "bytes of shared memory that it reads were written before it was waited for";
        return report(*w.block, std::move(incident));
    }
}

}  // namespace

MatrixDescriptor descriptor_of(uint64_t bits) {
    static constexpr uint32_t kPieces[4] = {1, 8, 4, 2};  // no swizzle, of 128, 64 and 32 bytes
    MatrixDescriptor m;
    m.start = field(bits, 0);
    m.leading = field(bits, 16);
    m.stride = field(bits, 32);
    m.base = static_cast<uint32_t>(bits >> 49 & 7);
    m.pieces = kPieces[bits >> 62];
    return m;
}

uint32_t piece_offset(const MatrixDescriptor& m, bool along_k, uint32_t line, uint32_t piece) {
    const uint32_t pitch = m.pieces * kPieceBytes, block = line / kLines;
    uint32_t at = m.start + line % kLines * pitch;
    if (m.pieces == 1)
        at += along_k ? block * m.stride + piece * m.leading : block * m.leading + piece * m.stride;
    else if (along_k)
        at += block * m.stride + piece * kPieceBytes;
    else
        at += block * m.stride + piece % m.pieces * kPieceBytes + piece / m.pieces * m.leading;
    return at ^ ((((at >> 7) - m.base) & (m.pieces - 1)) * kPieceBytes);
}

void read_lines(WarpgroupReads& r, const MatrixDescriptor& m, const MatrixLines& lines, std::byte* out) {
    if (lines.along_k) {
        for (uint32_t k = 0; k < lines.count; ++k)
            for (uint32_t piece = 0; piece < kDepthBytes / kPieceBytes; ++piece)
                take_piece(
                    r,
                    piece_offset(m, true, lines.first + k, piece),
                    out + k * kDepthBytes + piece * kPieceBytes
                );
        return;
    }
    constexpr uint32_t kAcross = kPieceBytes / kElementBytes;
    for (uint32_t piece = 0; piece < lines.count / kAcross; ++piece)
        for (uint32_t depth = 0; depth < kDepthBytes / kElementBytes; ++depth) {
            std::byte elements[kPieceBytes];
            take_piece(r, piece_offset(m, false, depth, lines.first / kAcross + piece), elements);
            for (uint32_t e = 0; e < kAcross; ++e)
                std::memcpy(
                    out + (piece * kAcross + e) * kDepthBytes + depth * kElementBytes,
                    elements + e * kElementBytes,
                    kElementBytes
                );
        }
}

void begin_product(WarpgroupReads& r) {
    Warp& w = r.warp;
    if (w.block->now.variant == kPlain) return;
    PendingProduct p;
    p.instr = r.instr;
    std::sort(r.pieces.begin(), r.pieces.end());
    for (const uint32_t at : r.pieces) {
        if (!p.runs.empty() && at < p.runs.back().first + p.runs.back().second) continue;
        if (!p.runs.empty() && at == p.runs.back().first + p.runs.back().second)
            p.runs.back().second += kPieceBytes;
        else
            p.runs.emplace_back(at, kPieceBytes);
    }
    for (const auto& [offset, bytes] : p.runs)
        p.bytes.insert(p.bytes.end(), w.shared + offset, w.shared + offset + bytes);
    for (const auto& [offset, bytes] : p.runs) look_at_async_read(w, r.instr, offset, bytes);
    read_again(w, p);
    if (w.products.size() == kMostPending) w.products.erase(w.products.begin());
    w.products.push_back(std::move(p));
}

const Instr* commit_products(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    for (PendingProduct& p : w.products) ++p.age;
    return i + 1;
}

// offset: groups that may stay open.
const Instr* wait_for_products(Warp& w, const Instr* i) {
    if (!whole_warp(w, i)) return nullptr;
    std::erase_if(w.products, [&](const PendingProduct& p) {
        if (p.age < i->offset) return false;
        read_again(w, p);
        check_unchanged(w, i, p);
        return true;
    });
    return i + 1;
}

const Instr* look_for_flight(Warp& w, const Instr* i) {
    const FlightCheck& check = w.block->context.program->flights.at(code_index(*w.block, i));
    const uint32_t lanes = w.products.empty() ? 0 : guard_lanes(w, i);
    for (const PendingProduct& p : w.products) {
        if (lanes == 0 || !std::binary_search(check.products.begin(), check.products.end(), p.instr->site))
            continue;
        Incident incident;
        incident.kind = Incident::Kind::async_copy_wait;
        incident.first = witness(w, p.instr, kAllLanes);
        incident.second = witness(w, i, lanes);
        incident.detail = "registers that the product still uses are touched before it was waited for";
        report(*w.block, std::move(incident));
        break;
    }
    return check.exec[w.block->now.variant](w, i);
}

const Instr* meet_for_products(Warp& w, const Instr* i) { return whole_warp(w, i) ? i + 1 : nullptr; }

}  // namespace wl::emulator
