// A dense row-major matrix; the form in which tiles reach analysis and panels.
#pragma once

#include <cstddef>
#include <vector>

namespace wl {

template <class T>
struct Matrix {
    int rows = 0, cols = 0;
    std::vector<T> data;  // (rows, cols)

    T& operator()(int row, int col) { return data[index(row, col)]; }
    const T& operator()(int row, int col) const { return data[index(row, col)]; }
    size_t index(int row, int col) const {
        return static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col);
    }
};

template <class T>
Matrix<T> make_matrix(int rows, int cols, T fill = {}) {
    return {rows, cols, std::vector<T>(static_cast<size_t>(rows) * static_cast<size_t>(cols), fill)};
}

}  // namespace wl
