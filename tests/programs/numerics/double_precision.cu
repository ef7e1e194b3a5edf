// Stresses: double precision: division, square roots, fused products, exponentials, logarithms, sines and
// powers as the math library makes them, conversions to and from 64-bit integers.

extern "C" __global__ void double_precision(
    const double* a, const double* b, double* out, long long* integers
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = a[i], y = b[i];
    double* o = out + i * 8;
    o[0] = x / y;
    o[1] = sqrt(fabs(x)) + __dsqrt_ru(fabs(y));
    o[2] = fma(x, y, -x * y);
    o[3] = exp(x * 4) + log(fabs(y) + 1e-3);
    o[4] = sin(x * 30) * cos(y * 1e6);
    o[5] = pow(fabs(x) + 0.5, y * 8);
    o[6] = atan2(x, y) + cbrt(y) + fmod(x * 100, 0.7);
    o[7] = floor(x * 9) + rint(y * 9) + trunc(x * 9) + ldexp(x, i % 40 - 20) + erf(y);
    integers[i] = static_cast<long long>(x * 1e15) ^ __double2ll_rn(y * 1e9) ^ __double_as_longlong(x * y);
}
