// Stresses: an interpreter of byte code: a dense switch that becomes a table of branches, taken apart by each
// lane, a stack indexed by data.

enum Code : unsigned char {
    kPush,
    kAdd,
    kSub,
    kMul,
    kDup,
    kSwap,
    kXor,
    kShift,
    kDrop,
    kJumpIfZero,
    kHalt,
    kCodes
};

extern "C" __global__ void switch_table(const unsigned char* programs, int length, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char* code = programs + i * length;
    int stack[8] = {i, i + 1, i + 2, i + 3};
    int top = 3, steps = 0;
    for (int pc = 0; pc < length && steps < 100; ++pc, ++steps) {
        int& a = stack[(top - 1) & 7];
        int& b = stack[top & 7];
        switch (code[pc] % kCodes) {
            case kPush: stack[++top & 7] = code[pc] * 3; break;
            case kAdd:
                a += b;
                --top;
                break;
            case kSub:
                a -= b;
                --top;
                break;
            case kMul:
                a = a * b % 9973;
                --top;
                break;
            case kDup:
                stack[(top + 1) & 7] = b;
                ++top;
                break;
            case kSwap: {
                const int kept = a;
                a = b;
                b = kept;
                break;
            }
            case kXor:
                a ^= b;
                --top;
                break;
            case kShift: b = b << 1 | (b >> 31 & 1); break;
            case kDrop: --top; break;
            case kJumpIfZero:
                if ((b & 3) == 0) pc += 2;
                break;
            case kHalt: steps += 1000; break;
        }
        top &= 7;
    }
    int mix = steps;
    for (int k = 0; k < 8; ++k) mix = mix * 31 + stack[k];
    out[i] = mix;
}
