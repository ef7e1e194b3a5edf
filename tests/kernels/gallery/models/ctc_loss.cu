// Connectionist temporal classification, forward: the negative logarithm of the probability that a sequence
// of frames spells a label, blanks between. A block a sequence, a thread a state; two rows of states take
// turns.
#include <math_constants.h>

constexpr int kMostStates = 64, kBlank = 0;

__device__ inline float log_add(float a, float b) {
    const float high = fmaxf(a, b), low = fminf(a, b);
    if (low == -CUDART_INF_F) return high;
#ifdef WL_FAULT_HIGH
    return low + log1pf(expf(low - high));
#else
    return high + log1pf(expf(low - high));
#endif
}

// log_probs: (frames, batch, classes), labels: (batch, most), frame_counts, label_counts: (batch), loss:
// (batch). Grid batch, a thread for each of 2 most + 1 states.
__global__ void ctc_loss(
    const float* log_probs,
    const int* labels,
    const int* frame_counts,
    const int* label_counts,
    float* loss,
    int frames,
    int batch,
    int classes,
    int most
) {
    __shared__ float alpha[2][kMostStates];
    const int s = threadIdx.x, sequence = blockIdx.x;
    const int states = 2 * label_counts[sequence] + 1;
#ifdef WL_FAULT_FRAMES
    const int steps = frames;
#else
    const int steps = frame_counts[sequence];
#endif
#ifdef WL_FAULT_LABELS
    const int* label = labels + sequence * classes;
#else
    const int* label = labels + sequence * most;
#endif
    const int own = s < states && s % 2 == 1 ? label[s / 2] : kBlank;
#ifdef WL_FAULT_SAME
    const bool may_skip = s >= 2 && s < states && own != kBlank;
#else
    const bool may_skip = s >= 2 && s < states && own != kBlank && own != label[s / 2 - 1];
#endif
    const float* frame = log_probs + sequence * classes;
#ifdef WL_FAULT_START
    alpha[0][s] = s < 1 ? frame[own] : -CUDART_INF_F;
#else
    alpha[0][s] = s < 2 ? frame[own] : -CUDART_INF_F;
#endif
    for (int t = 1; t < steps; ++t) {
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
        const float* before = alpha[(t - 1) % 2];
        float sum = before[s];
        if (s >= 1) sum = log_add(sum, before[s - 1]);
        if (may_skip) sum = log_add(sum, before[s - 2]);
#ifdef WL_FAULT_STRIDE
        alpha[t % 2][s] = sum + frame[t * classes + own];
#else
        alpha[t % 2][s] = sum + frame[t * batch * classes + own];
#endif
    }
    __syncthreads();
    if (s == 0) {
#ifdef WL_FAULT_ROW
        const float* end = alpha[steps % 2];
#else
        const float* end = alpha[(steps - 1) % 2];
#endif
#ifdef WL_FAULT_BLANK
        loss[sequence] = -end[states - 1];
#else
        loss[sequence] = -log_add(end[states - 1], end[states - 2]);
#endif
    }
}
