// The three transforms of Winograd's F(2x2, 3x3): 16 products for four outputs in place of 36.
#pragma once

// u = G g G^T; g: (3, 3), u: (4, 4)
template <typename Real>
__device__ inline void transform_filter(const Real* g, Real* u) {
    Real rows[4][3];
    for (int j = 0; j < 3; ++j) {
        const Real a = g[j], b = g[3 + j], c = g[6 + j];
        rows[0][j] = a;
        rows[1][j] = (a + b + c) * Real(0.5);
        rows[2][j] = (a - b + c) * Real(0.5);
        rows[3][j] = c;
    }
    for (int i = 0; i < 4; ++i) {
        const Real a = rows[i][0], b = rows[i][1], c = rows[i][2];
        u[4 * i] = a;
        u[4 * i + 1] = (a + b + c) * Real(0.5);
        u[4 * i + 2] = (a - b + c) * Real(0.5);
        u[4 * i + 3] = c;
    }
}

// v = B^T d B in place; d: (4, 4)
template <typename Real>
__device__ inline void transform_input(Real* d) {
    for (int j = 0; j < 4; ++j) {
        const Real a = d[j], b = d[4 + j], c = d[8 + j], e = d[12 + j];
        d[j] = a - c;
        d[4 + j] = b + c;
        d[8 + j] = c - b;
        d[12 + j] = b - e;
    }
    for (int i = 0; i < 16; i += 4) {
        const Real a = d[i], b = d[i + 1], c = d[i + 2], e = d[i + 3];
        d[i] = a - c;
        d[i + 1] = b + c;
        d[i + 2] = c - b;
        d[i + 3] = b - e;
    }
}

// y = A^T m A; m: (4, 4), y: (2, 2)
template <typename Real>
__device__ inline void transform_output(const Real* m, Real* y) {
    Real rows[2][4];
    for (int j = 0; j < 4; ++j) {
        rows[0][j] = m[j] + m[4 + j] + m[8 + j];
        rows[1][j] = m[4 + j] - m[8 + j] - m[12 + j];
    }
    for (int i = 0; i < 2; ++i) {
        y[2 * i] = rows[i][0] + rows[i][1] + rows[i][2];
        y[2 * i + 1] = rows[i][1] - rows[i][2] - rows[i][3];
    }
}
