#include "shim/cublas/plain.h"

#include "shim/libraries/calls.h"
#include "shim/libraries/dense.h"

#include <cmath>
#include <utility>

namespace wl::cublas {
namespace {

using namespace wl::libraries;

constexpr const char* kWhat = "a vector";

int64_t extent(const Strided& v) {
    int64_t out = 0;
    require(v.step != 0 && v.step != INT64_MIN);
    require(!__builtin_mul_overflow(v.step < 0 ? -v.step : v.step, v.n - 1, &out));
    return v.n <= 0 ? 0 : out + 1;
}
void require_vector(const Strided& v) {
    require_memory(v.at, extent(v), v.is_double ? sizeof(double) : sizeof(float), kWhat);
}
size_t place(const Strided& v, int64_t k) {
    return static_cast<size_t>(v.step > 0 ? k * v.step : (k - v.n + 1) * v.step);
}

// As it lies there, from its first element to its last.
std::vector<double> lying(const Strided& v) {
    if (v.is_double) return fetched<double>(v.at, extent(v), kWhat);
    const std::vector<float> single = fetched<float>(v.at, extent(v), kWhat);
    return {single.begin(), single.end()};
}
std::vector<double> load(const Strided& v) {
    const std::vector<double> there = lying(v);
    std::vector<double> out;
    for (int64_t k = 0; k < v.n; ++k) out.push_back(there[place(v, k)]);
    return out;
}
void save(const Strided& v, const std::vector<double>& values) {
    std::vector<double> there = lying(v);  // what lies between its elements stays
    for (int64_t k = 0; k < v.n; ++k) there[place(v, k)] = values[static_cast<size_t>(k)];
    const std::vector<float> single(there.begin(), there.end());
    if (v.is_double)
        libraries::store(v.at, there.data(), there.size() * sizeof(double), kWhat);
    else
        libraries::store(v.at, single.data(), single.size() * sizeof(float), kWhat);
}

double reduced(Reduction what, const std::vector<double>& x, const std::vector<double>& y) {
    double out = 0;
    size_t at = 0;
    for (size_t k = 0; k < x.size(); ++k) switch (what) {
            case Reduction::dot: out += x[k] * y[k]; break;
            case Reduction::norm: out += x[k] * x[k]; break;
            case Reduction::sum_of_magnitudes: out += std::abs(x[k]); break;
            case Reduction::largest: at = std::abs(x[k]) > std::abs(x[at]) ? k : at; break;
            case Reduction::smallest: at = std::abs(x[k]) < std::abs(x[at]) ? k : at; break;
        }
    if (what == Reduction::norm) return std::sqrt(out);
    const bool is_index = what == Reduction::largest || what == Reduction::smallest;
    return is_index ? static_cast<double>(x.empty() ? 0 : at + 1) : out;
}

template <class T>
void tell(void* to, double value) {
    const T out = static_cast<T>(value);
    libraries::store(to, &out, sizeof out, "the result");
}

Placed placed(const Block& a) { return {a.at, a.ld, a.is_double, "A"}; }

}  // namespace

int axpy(const Call& call, double alpha, const Strided& x, const Strided& y) {
    require_vector(x), require_vector(y);
    if (x.n <= 0 || alpha == 0) return 0;
    return submit(call.function, call.stream, When::may_wait, [=] {
        const std::vector<double> a = load(x);
        std::vector<double> b = load(y);
        for (size_t k = 0; k < a.size(); ++k) b[k] += alpha * a[k];
        save(y, b);
    });
}

int scale(const Call& call, double alpha, const Strided& x) {
    if (x.n <= 0 || x.step <= 0) return 0;
    require_vector(x);
    return submit(call.function, call.stream, When::may_wait, [=] {
        std::vector<double> a = load(x);
        for (double& element : a) element *= alpha;
        save(x, a);
    });
}

int copy(const Call& call, const Strided& x, const Strided& y) {
    require_vector(x), require_vector(y);
    if (x.n <= 0) return 0;
    return submit(call.function, call.stream, When::may_wait, [=] { save(y, load(x)); });
}

int exchange(const Call& call, const Strided& x, const Strided& y) {
    require_vector(x), require_vector(y);
    if (x.n <= 0) return 0;
    return submit(call.function, call.stream, When::may_wait, [=] {
        const std::vector<double> a = load(x), b = load(y);
        save(x, b), save(y, a);
    });
}

int reduce(const Call& call, Reduction what, const Strided& x, const Strided& y, void* out) {
    const bool is_index = what == Reduction::largest || what == Reduction::smallest;
    const bool is_double = x.is_double;
    const size_t size = is_index ? sizeof(int) : is_double ? sizeof(double) : sizeof(float);
    require_memory(out, 1, size, "the result");
    const bool none = x.n <= 0 || (what != Reduction::dot && x.step <= 0);
    if (!none) require_vector(x);
    if (!none && what == Reduction::dot) require_vector(y);
    return submit(call.function, call.stream, When::at_once, [=] {
        std::vector<double> a, b;
        if (!none) a = load(x);
        if (!none && what == Reduction::dot) b = load(y);
        const double value = reduced(what, a, b);
        if (is_index)
            tell<int>(out, value);
        else if (is_double)
            tell<double>(out, value);
        else
            tell<float>(out, value);
    });
}

int matrix_vector(
    const Call& call, bool transposed, double alpha, const Block& a, Strided x, double beta, Strided y
) {
    require_matrix(placed(a), a.rows, a.cols);
    x.n = transposed ? a.rows : a.cols, y.n = transposed ? a.cols : a.rows;
    require_vector(x), require_vector(y);
    if (a.rows == 0 || a.cols == 0) return 0;
    return submit(call.function, call.stream, When::may_wait, [=] {
        const Dense m = libraries::load(placed(a), a.rows, a.cols);
        const std::vector<double> from = load(x);
        std::vector<double> to = beta == 0 ? std::vector<double>(static_cast<size_t>(y.n)) : load(y);
        for (int64_t r = 0; r < y.n; ++r) {
            double sum = 0;
            for (int64_t c = 0; c < x.n; ++c)
                sum += (transposed ? m(c, r) : m(r, c)) * from[static_cast<size_t>(c)];
            double& out = to[static_cast<size_t>(r)];
            out = alpha * sum + (beta == 0 ? 0 : beta * out);
        }
        save(y, to);
    });
}

int rank_one(const Call& call, double alpha, const Strided& x, const Strided& y, const Block& a) {
    require_matrix(placed(a), a.rows, a.cols), require_vector(x), require_vector(y);
    if (a.rows == 0 || a.cols == 0 || alpha == 0) return 0;
    return submit(call.function, call.stream, When::may_wait, [=] {
        Dense m = libraries::load(placed(a), a.rows, a.cols);
        const std::vector<double> column = load(x), row = load(y);
        for (int64_t c = 0; c < a.cols; ++c)
            for (int64_t r = 0; r < a.rows; ++r)
                m(r, c) += alpha * column[static_cast<size_t>(r)] * row[static_cast<size_t>(c)];
        libraries::store(placed(a), m);
    });
}

}  // namespace wl::cublas
