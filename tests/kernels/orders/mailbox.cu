// Blocks put numbers into a mailbox; the last block adds them up. An empty place holds 0.

// in, box: (blocks, 64), sum: (64). Grid (blocks + 1), block (64).
extern "C" __global__ void mailbox(const int* in, int* box, int* sum, int blocks) {
    const int i = threadIdx.x, block = blockIdx.x;
    volatile int* place = box;
    if (block < blocks) {
        place[block * 64 + i] = 1 + in[block * 64 + i];  // store
        return;
    }
    int total = 0;
    for (int b = 0; b < blocks; ++b) {
        int value = 0;
#ifdef WL_FAULT_IMPATIENT
        for (int looks = 0; looks < 4 && value == 0; ++looks) value = place[b * 64 + i];  // few looks
#elif defined(WL_FAULT_CONFUSED)
        do value = place[b * 64 + i];  // other mark
        while (value == -2);
#else
        do value = place[b * 64 + i];
        while (value == 0);
#endif
        total += value - 1;
    }
    sum[i] = total;
}
