#include "instrumentation/analysis/assembled.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

namespace wl::analysis {
namespace {

// A tensor of FP64 elements, and by element 1 where a piece has it, else 0.
struct Assembly {
    std::vector<int64_t> shape;
    std::vector<double> value, there;
};

// Calls visit(coordinates, row, column) for every element of the window that has no negative coordinate.
template <class Visit>
void each_element(const Window& w, Visit visit) {
    const Axes a = axes(w, w.at.size());
    for (int r = 0; r < w.rows; ++r) {
        for (int c = 0; c < w.cols; ++c) {
            std::vector<int64_t> x = w.at;
            if (a.row >= 0) x[static_cast<size_t>(a.row)] += r;
            if (a.col >= 0) x[static_cast<size_t>(a.col)] += c;
            if (std::all_of(x.begin(), x.end(), [](int64_t k) { return k >= 0; })) visit(x, r, c);
        }
    }
}

int64_t flat(const std::vector<int64_t>& x, const std::vector<int64_t>& shape) {
    int64_t at = 0;
    for (size_t d = 0; d < x.size(); ++d) at = at * shape[d] + x[d];
    return at;
}

void reach(Assembly& tensor, const Window& w) {
    if (tensor.shape.empty()) tensor.shape.resize(w.at.size(), 0);
    if (tensor.shape.size() != w.at.size())
        throw Error(
            "The tiles of '" + w.tensor + "' in the reference kernel have different numbers of coordinates."
        );
    each_element(w, [&](const std::vector<int64_t>& x, int, int) {
        for (size_t d = 0; d < x.size(); ++d) tensor.shape[d] = std::max(tensor.shape[d], x[d] + 1);
    });
}

void put(Assembly& tensor, const Piece& piece) {
    each_element(piece.window, [&](const std::vector<int64_t>& x, int r, int c) {
        const auto at = static_cast<size_t>(flat(x, tensor.shape));
        tensor.value[at] = piece.value(r, c), tensor.there[at] = 1;
    });
}

Tensor tensor_of(const std::string& name, const std::vector<int64_t>& shape, const std::vector<double>& all) {
    Tensor t{name, DType::f64, shape, std::vector<std::byte>(all.size() * sizeof(double))};
    if (!all.empty()) std::memcpy(t.bytes.data(), all.data(), t.bytes.size());
    return t;
}

std::map<std::string, Assembly> assemble(const std::vector<Tensor>& whole, const std::vector<Piece>& pieces) {
    const auto is_whole = [&](const Piece& p) {
        return std::any_of(whole.begin(), whole.end(), [&](const Tensor& t) {
            return t.name == p.window.tensor;
        });
    };
    std::map<std::string, Assembly> tensors;
    for (const Piece& p : pieces)
        if (!is_whole(p)) reach(tensors[p.window.tensor], p.window);
    for (auto& [name, tensor] : tensors) {
        tensor.value.resize(static_cast<size_t>(elements(tensor.shape)));
        tensor.there.resize(tensor.value.size());
    }
    for (const Piece& p : pieces)
        if (!is_whole(p)) put(tensors[p.window.tensor], p);
    return tensors;
}

}  // namespace

Reference assembled_reference(
    std::string origin,
    std::vector<Tensor> whole,
    const std::vector<Piece>& pieces,
    const std::vector<TensorTerms>& terms
) {
    std::vector<Tensor> there;
    std::vector<std::string> outputs;
    for (const Tensor& t : whole) outputs.push_back(t.name);
    for (const Tensor& t : whole)
        there.push_back(
            tensor_of(t.name, t.shape, std::vector<double>(static_cast<size_t>(elements(t.shape)), 1))
        );
    for (const auto& [name, tensor] : assemble(whole, pieces)) {
        whole.push_back(tensor_of(name, tensor.shape, tensor.value));
        there.push_back(tensor_of(name, tensor.shape, tensor.there));
    }
    Reference out = tensor_reference(std::move(origin), std::move(whole), terms);
    for (ReferenceTensor& tensor : out.tensors)
        tensor.pieced = std::none_of(outputs.begin(), outputs.end(), [&](const std::string& name) {
            return name == tensor.name;
        });
    const Reference known = tensor_reference("", std::move(there), {});
    out.tile = [values = out.tile, known = known.tile](const Window& w) {
        ReferenceTile tile = values(w);
        const ReferenceTile mask = known(w);
        for (size_t i = 0; i < tile.value.data.size(); ++i) {
            tile.bound.data[i] *= 2;
            if (!tile.probable.data.empty()) tile.probable.data[i] *= 2;
            if (mask.value.data[i] != 0) continue;
            tile.value.data[i] = std::numeric_limits<double>::quiet_NaN();
            tile.compared.data[i] = 0;
        }
        return tile;
    };
    return out;
}

}  // namespace wl::analysis
