#include "shim/cusparse/operands.h"

#include <limits>
#include <utility>

namespace wl::cusparse {

using namespace libraries;

namespace {

std::vector<int64_t> load_indices(
    const void* at, int type, int64_t count, int base, int64_t end, const char* what
) {
    std::vector<int64_t> out;
    if (type == kIndex64) {
        out = fetched<int64_t>(at, count, what);
    } else {
        const std::vector<int32_t> narrow = fetched<int32_t>(at, count, what);
        out.assign(narrow.begin(), narrow.end());
    }
    for (size_t k = 0; k < out.size(); ++k) {
        const int64_t index = out[k];
        if (index < base || index - base >= end)
            throw Failure{
                kStatuses.failed,
                std::string(what) + " hold " + std::to_string(index) + " at " + std::to_string(k) +
                    "; they may go from " + std::to_string(base) + " to " + std::to_string(end - 1 + base)};
        out[k] = index - base;
    }
    return out;
}

void* shifted(const void* at, int64_t elements, size_t size) {
    int64_t bytes = 0;
    require(!__builtin_mul_overflow(elements, static_cast<int64_t>(size), &bytes));
    // Of any number that the program gave: no pointer of ours is moved.
    return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr)
        reinterpret_cast<uintptr_t>(at) + static_cast<uintptr_t>(bytes)
    );
}

template <class T>
struct Single;
template <>
struct Single<double> {
    using Of = float;
};
template <>
struct Single<std::complex<double>> {
    using Of = std::complex<float>;
};

constexpr bool is_single(int type) { return type == kF32 || type == kC32; }

}  // namespace

size_t bytes_of(int type) { return size_t{is_single(type) ? 4U : 8U} * (is_complex(type) ? 2 : 1); }
size_t bytes_of_index(int type) { return type == kIndex64 ? 8 : 4; }

int64_t Rows::extent() const {
    int64_t a = 0, b = 0, out = 0;
    if (height == 0 || width == 0) return 0;
    require(
        !__builtin_mul_overflow(height - 1, step, &a) && !__builtin_mul_overflow(width - 1, stride, &b) &&
        !__builtin_add_overflow(a, b, &out) && out < std::numeric_limits<int64_t>::max()
    );
    return out + 1;
}

Rows rows_of(const Vector& v, const char* what) {
    Rows out;
    out.values = const_cast<void*>(v.values), out.type = v.type, out.height = v.size, out.what = what;
    return out;
}
Rows rows_of(const Matrix& m, int operation, const char* what) {
    const bool transposed = operation != kPlain;
    const bool across = m.by_rows != transposed;  // elements of one of our rows lie side by side
    Rows out;
    out.values = const_cast<void*>(m.values), out.type = m.type, out.what = what;
    out.height = transposed ? m.cols : m.rows, out.width = transposed ? m.rows : m.cols;
    out.step = across ? m.ld : 1, out.stride = across ? 1 : m.ld;
    out.conjugated = operation == kConjugated;
    out.batches = m.batches, out.apart = m.apart;
    return out;
}

Rows one_of(const Rows& all, int64_t number) {
    Rows out = all;
    int64_t elements = 0;
    require(!__builtin_mul_overflow(all.apart, all.batches == 1 ? 0 : number, &elements));
    out.values = shifted(all.values, elements, bytes_of(all.type));
    return out;
}
Sparse one_of(const Sparse& all, int64_t number) {
    Sparse out = all;
    int64_t offsets = 0, values = 0;
    const int64_t k = all.batches == 1 ? 0 : number;
    require(!__builtin_mul_overflow(all.offsets_apart, k, &offsets));
    require(!__builtin_mul_overflow(all.values_apart, k, &values));
    out.offsets = shifted(all.offsets, offsets, bytes_of_index(all.offset_type));
    out.indices = shifted(all.indices, values, bytes_of_index(all.index_type));
    out.values = shifted(all.values, values, bytes_of(all.type));
    return out;
}

int64_t count_of_offsets(const Sparse& m) {
    if (m.format == Format::coo) return m.count;
    return (m.format == Format::csr ? m.rows : m.cols) + 1;
}

Places places_of(const Sparse& m) {
    const bool by_rows = m.format != Format::csc;
    const int64_t across = by_rows ? m.cols : m.rows, along = by_rows ? m.rows : m.cols;
    Places out;
    out.cols =
        load_indices(m.indices, m.index_type, m.count, m.base, across, by_rows ? "the columns" : "the rows");
    out.is_in.assign(static_cast<size_t>(m.count), 1);
    if (m.format == Format::coo) {
        out.rows = load_indices(m.offsets, m.offset_type, m.count, m.base, along, "the rows");
        return out;
    }
    const std::vector<int64_t> offsets =
        load_indices(m.offsets, m.offset_type, along + 1, m.base, m.count + 1, "the offsets");
    for (size_t k = 1; k < offsets.size(); ++k)
        if (offsets[k] < offsets[k - 1])
            throw Failure{kStatuses.failed, "the offsets become smaller at " + std::to_string(k)};
    out.rows.resize(static_cast<size_t>(m.count));
    for (int64_t r = 0; r < along; ++r)
        for (int64_t k = offsets[static_cast<size_t>(r)]; k < offsets[static_cast<size_t>(r) + 1]; ++k)
            out.rows[static_cast<size_t>(k)] = r;
    for (int64_t k = 0; k < m.count; ++k)
        if (k < offsets.front() || k >= offsets.back()) out.is_in[static_cast<size_t>(k)] = 0;
    if (!by_rows) out.rows.swap(out.cols);
    return out;
}

template <class T>
std::vector<T> numbers_at(const void* at, int type, int64_t count, const char* what) {
    if (!is_single(type)) return fetched<T>(at, count, what);
    const auto single = fetched<typename Single<T>::Of>(at, count, what);
    return {single.begin(), single.end()};
}
template std::vector<double> numbers_at(const void*, int, int64_t, const char*);
template std::vector<std::complex<double>> numbers_at(const void*, int, int64_t, const char*);

template <class T>
void save(const Rows& r, const std::vector<T>& values) {
    if (!is_single(r.type)) return store(r.values, values.data(), values.size() * sizeof(T), r.what);
    std::vector<typename Single<T>::Of> single;
    for (const T& value : values) single.push_back(static_cast<typename Single<T>::Of>(value));
    store(r.values, single.data(), single.size() * sizeof(single[0]), r.what);
}
template void save(const Rows&, const std::vector<double>&);
template void save(const Rows&, const std::vector<std::complex<double>>&);

template <class T>
std::function<T()> factor_at(const void* at, int type, bool by_device) {
    const auto read = [at, type] { return numbers_at<T>(at, type, 1, "a factor")[0]; };
    require_memory(at, 1, bytes_of(type), "a factor");
    if (by_device) return read;
    return [value = read()] { return value; };
}
template std::function<double()> factor_at(const void*, int, bool);
template std::function<std::complex<double>()> factor_at(const void*, int, bool);

}  // namespace wl::cusparse
