// Picks one element of each row, and does not trust the column that it came to.

// in: (n, columns), out: (n), n a multiple of 32. Grid (n / 32), block (32).
extern "C" __global__ void checked(const float* in, float* out, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x, column = row % columns;
#ifdef WL_FAULT_ASSERT
    assert(column + 1 < columns);  // here: assert
#else
    assert(column < columns);
#endif
#ifdef WL_FAULT_TRAP
    if (column == columns - 1) __trap();  // here: trap
#else
    if (column >= columns) __trap();
#endif
    out[row] = in[row * columns + column];
}
