// Stresses: malloc and free, new and delete in the kernel: a linked list a thread, an array that a block
// shares.

struct Node {
    int value;
    Node* next;
};

extern "C" __global__ void device_malloc(const int* in, int* out, int n) {
    __shared__ int* shared_array;
    if (threadIdx.x == 0) shared_array = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
    __syncthreads();
    Node* list = nullptr;
    for (int i = 0; i < n; ++i) {
        const int value = in[threadIdx.x * n + i];
        if (value % 2 == 0) list = new Node{value, list};
    }
    int sum = 0;
    while (list) {
        Node* const rest = list->next;
        sum = sum * 3 + list->value;
        delete list;
        list = rest;
    }
    shared_array[threadIdx.x] = sum;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = shared_array[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    if (threadIdx.x == 0) free(shared_array);
}
