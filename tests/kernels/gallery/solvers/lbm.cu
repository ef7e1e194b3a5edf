// One step of the lattice Boltzmann method on the D2Q9 lattice: populations are pulled from the neighbours,
// bounce back from solid cells and from the walls above and below, and relax. Periodic along x.
__constant__ int kDx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int kDy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ int kOpposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
__constant__ float kWeight[9] = {
    4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

__device__ float equilibrium(int q, float rho, float ux, float uy) {
    const float cu = kDx[q] * ux + kDy[q] * uy;
    const float uu = ux * ux + uy * uy;
#ifdef WL_FAULT_SQUARE
    return kWeight[q] * rho * (1.0f + 3.0f * cu + 3.0f * cu * cu - 1.5f * uu);
#else
    return kWeight[q] * rho * (1.0f + 3.0f * cu + 4.5f * cu * cu - 1.5f * uu);
#endif
}

// f, out: (9, ny, nx). Block (32, 4).
__global__ void lbm_step(
    const float* f, const unsigned char* solid, float* out, float* density, int nx, int ny, float omega
) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const int cells = nx * ny, cell = y * nx + x;

    float own[9];
    float rho = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int q = 0; q < 9; ++q) {
#ifdef WL_FAULT_WRAP
        const int sx = (x - kDx[q]) % nx;
#else
        const int sx = (x - kDx[q] + nx) % nx;
#endif
#ifdef WL_FAULT_PUSH
        const int sy = y + kDy[q];
#else
        const int sy = y - kDy[q];
#endif
#ifdef WL_FAULT_WALL
        const bool blocked = sy < 0 || sy > ny || solid[sy * nx + sx];
#else
        const bool blocked = sy < 0 || sy >= ny || solid[sy * nx + sx];
#endif
#ifdef WL_FAULT_BOUNCE
        own[q] = blocked ? f[q * cells + cell] : f[q * cells + sy * nx + sx];
#else
        own[q] = blocked ? f[kOpposite[q] * cells + cell] : f[q * cells + sy * nx + sx];
#endif
        rho += own[q];
        ux += kDx[q] * own[q];
        uy += kDy[q] * own[q];
    }
    density[cell] = rho;
#ifdef WL_FAULT_MOMENTUM
    ux /= rho;
#else
    ux /= rho;
    uy /= rho;
#endif
    for (int q = 0; q < 9; ++q) {
        float now = own[q];
#ifdef WL_FAULT_SOLID
        now -= omega * (now - equilibrium(q, rho, ux, uy));
#else
        if (!solid[cell]) now -= omega * (now - equilibrium(q, rho, ux, uy));
#endif
        out[q * cells + cell] = now;
    }
}
