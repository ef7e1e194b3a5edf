// Decoding of rows: the formats that outputs have by vector code, the others one by one.
#include "app/session/plane.h"

#include "instrumentation/analysis/metric.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

constexpr uint32_t kAbsent = 0xffc00000u, kMasked = 0xffc00001u;

template <class T>
T element(const std::byte* bytes, size_t i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

// Exact, subnormals and infinities included: the exponent's bias is made up for by a multiplication.
float of_half(uint16_t bits) {
    const uint32_t magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
    const uint32_t special = (bits & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | special | sign);
}

void decode(const TileSource& source, size_t first, int count, float* out) {
    const std::byte* from = source.raw.data() + first * size_of(source.dtype);
    switch (source.dtype) {
        case DType::f32: std::memcpy(out, from, static_cast<size_t>(count) * sizeof *out); break;
        case DType::f16:
            for (int i = 0; i < count; ++i) out[i] = of_half(element<uint16_t>(from, static_cast<size_t>(i)));
            break;
        case DType::bf16:
            for (int i = 0; i < count; ++i)
                out[i] =
                    std::bit_cast<float>(uint32_t{element<uint16_t>(from, static_cast<size_t>(i))} << 16);
            break;
        default:
            for (int i = 0; i < count; ++i)
                out[i] = static_cast<float>(
                    to_double(source.dtype, from + static_cast<size_t>(i) * size_of(source.dtype))
                );
    }
    for (int i = 0; i < count; ++i) out[i] = canonical(out[i]);
}

bool has_reference(const TileSource& source) { return !source.references.empty() && !source.bounds.empty(); }

// What agrees with an infinite reference may be any number beyond the bound.
bool is_masked(const TileSource& source, size_t i, double got) {
    const auto reference = element<double>(source.references.data(), i);
    return std::isinf(reference) &&
        !is_wrong(source, got, reference, element<float>(source.bounds.data(), i));
}

double got_at(const TileSource& source, size_t i) {
    return to_double(source.dtype, source.raw.data() + i * size_of(source.dtype));
}

float metric_at(const TileSource& source, size_t i, analysis::Metric metric) {
    const auto reference = element<double>(source.references.data(), i);
    const double got = got_at(source, i);
    if (!is_compared(source, reference)) return absent();
    if (std::isnan(got) && std::isnan(reference)) return metric == analysis::Metric::ratio ? 1 : 0;
    if (std::isnan(got) || std::isnan(reference)) return std::numeric_limits<float>::quiet_NaN();
    if (std::isinf(reference) && is_masked(source, i, got)) return metric == analysis::Metric::ratio ? 1 : 0;
    const float value = analysis::metric_of(source.dtype, got, reference, metric);
    return std::isnan(value) ? absent() : value;  // 0 / 0 says nothing
}

}  // namespace

float absent() { return std::bit_cast<float>(kAbsent); }
float masked() { return std::bit_cast<float>(kMasked); }
bool is_absent(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return bits == kAbsent || bits == kMasked;
}
bool is_masked(float value) { return std::bit_cast<uint32_t>(value) == kMasked; }
float canonical(float value) { return value == value ? value : std::numeric_limits<float>::quiet_NaN(); }

double TileSource::got(int row, int col) const { return got_at(*this, index(row, col)); }
double TileSource::reference(int row, int col) const {
    return element<double>(references.data(), index(row, col));
}
float TileSource::bound(int row, int col) const { return element<float>(bounds.data(), index(row, col)); }
capture::Owner TileSource::owner(int row, int col) const {
    return element<capture::Owner>(owners.data(), index(row, col));
}

TileSource source_of(const capture::Capture& capture, const capture::Tile& tile) {
    if (tile.values == capture::kNoBlob) return {};
    TileSource source;
    source.rows = tile.rows, source.cols = tile.cols;
    source.dtype = capture.probes[static_cast<size_t>(tile.probe)].dtype;
    const size_t elements = source.index(tile.rows, 0);
    const auto blob = [&](capture::BlobId id, size_t bytes_each) -> std::span<const std::byte> {
        if (id == capture::kNoBlob) return {};
        const std::vector<std::byte>& bytes = capture::content_of(capture.blobs, id);
        if (bytes.size() != elements * bytes_each) return {};
        return bytes;
    };
    source.raw = blob(tile.values, size_of(source.dtype));
    source.references = blob(tile.reference, sizeof(double));
    source.bounds = blob(tile.bound, sizeof(float));
    source.owners = blob(tile.owner, sizeof(capture::Owner));
    if (source.raw.empty()) return {};
    return source;
}

bool is_wrong(const TileSource& source, int row, int col) {
    return has_reference(source) &&
        is_wrong(source, source.got(row, col), source.reference(row, col), source.bound(row, col));
}

bool is_wrong(const TileSource& source, double got, double reference, float bound) {
    if (source.paired && (std::isnan(got) || std::isnan(reference)))
        return std::isnan(got) != std::isnan(reference);
    return analysis::is_bad(got, reference, bound);
}

bool is_compared(const TileSource& source, double reference) {
    return source.paired || !std::isnan(reference);
}

float Plane::operator()(int row, int col) const {
    float value = 0;
    read(row, col, 1, &value);
    return value;
}

Plane plane_of(Matrix<float> matrix) {
    auto held = std::make_shared<const Matrix<float>>(std::move(matrix));
    return {held->rows, held->cols, [held](int row, int col, int count, float* out) {
                std::memcpy(
                    out, held->data.data() + held->index(row, col), sizeof *out * static_cast<size_t>(count)
                );
            }};
}

Plane got_plane(const TileSource& source) {
    return {source.rows, source.cols, [source](int row, int col, int count, float* out) {
                const size_t first = source.index(row, col);
                decode(source, first, count, out);
                if (!has_reference(source)) return;
                for (int i = 0; i < count; ++i)
                    if (is_masked(source, first + static_cast<size_t>(i), static_cast<double>(out[i])))
                        out[i] = masked();
            }};
}

Plane reference_plane(const TileSource& source) {
    return {source.rows, source.cols, [source](int row, int col, int count, float* out) {
                const size_t first = source.index(row, col);
                for (int i = 0; i < count; ++i) {
                    const size_t at = first + static_cast<size_t>(i);
                    const auto value = static_cast<float>(element<double>(source.references.data(), at));
                    out[i] = !is_compared(source, static_cast<double>(value)) ? absent() : canonical(value);
                    if (std::isinf(value) && is_masked(source, at, got_at(source, at))) out[i] = masked();
                }
            }};
}

Plane metric_plane(const TileSource& source, analysis::Metric metric) {
    return {source.rows, source.cols, [source, metric](int row, int col, int count, float* out) {
                const size_t first = source.index(row, col);
                for (int i = 0; i < count; ++i)
                    out[i] = metric_at(source, first + static_cast<size_t>(i), metric);
            }};
}

Plane owner_plane(const TileSource& source) {
    return {source.rows, source.cols, [source](int row, int col, int count, float* out) {
                const size_t first = source.index(row, col);
                for (int i = 0; i < count; ++i) {
                    const auto owner =
                        element<capture::Owner>(source.owners.data(), first + static_cast<size_t>(i));
                    const bool nobody = owner.warp == capture::Owner::kNobody;
                    out[i] = nobody ? -1.0F : static_cast<float>(owner.warp % 32 * 32 + owner.lane % 32);
                }
            }};
}

}  // namespace wl::app
