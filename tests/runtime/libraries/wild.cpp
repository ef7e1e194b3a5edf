// Every function of the libraries with arguments at random: what is no handle, no memory and no size is
// answered by a status, never by a signal. Prints how many calls there were; a signal prints the call.
#include <cuda_runtime_api.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <unistd.h>
#include <vector>

#define WL_NAME(name) extern "C" void name();
#include "shim/cublas/blas_names.inc"
#include "shim/cublas/lt_names.inc"
#include "shim/curand/names.inc"
#include "shim/cusolver/names.inc"
#include "shim/cusparse/names.inc"
#undef WL_NAME

namespace {

struct Function {
    const char* name;
    void (*call)();
};
#define WL_NAME(name) {#name, &name},
const Function kAll[] = {
#include "shim/cublas/blas_names.inc"
#include "shim/cublas/lt_names.inc"
#include "shim/curand/names.inc"
#include "shim/cusolver/names.inc"
#include "shim/cusparse/names.inc"
};
#undef WL_NAME

const char* current = "";

void say_where(int signal) {
    const char text[] = "a signal in ";
    ssize_t written = write(1, text, sizeof text - 1);
    written += write(1, current, std::strlen(current));
    _exit(written > 0 ? 128 + signal : 1);
}

// The sizes of allocations are not for chance.
bool is_left_out(const char* name) { return std::strcmp(name, "cublasAlloc") == 0; }

using Word = unsigned long;
using Fourteen = long (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

// Handles that are some, by the library that made them: any function may get any.
std::vector<Word> handles() {
    std::vector<Word> out;
    const auto make = [&](const char* name, std::array<Word, 3> rest = {}) {
        void* made = nullptr;
        for (const Function& f : kAll)
            if (std::strcmp(f.name, name) == 0)
                reinterpret_cast<long (*)(void**, Word, Word, Word)>(f.call
                )(&made, rest[0], rest[1], rest[2]);
        out.push_back(reinterpret_cast<Word>(made));
    };
    make("cublasCreate_v2"), make("cusparseCreate"), make("cusolverDnCreate"),
        make("curandCreateGenerator", {100});
    make("cublasLtMatmulDescCreate"), make("cublasLtMatrixLayoutCreate", {0, 4, 4});
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    std::mt19937_64 random(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1);
    const int calls = argc > 2 ? std::atoi(argv[2]) : 20;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) std::signal(signal, say_where);
    void *device = nullptr, *freed = nullptr;
    cudaMalloc(&device, 4096), cudaMalloc(&freed, 4096), cudaFree(freed);
    static std::array<char, 4096> host;
    std::vector<Word> words = handles();
    for (const void* at : std::array<const void*, 3>{device, freed, host.data()})
        for (const Word offset : {0, 1, 64, 4090}) words.push_back(reinterpret_cast<Word>(at) + offset);
    for (const Word word : std::array<Word, 16>{
             0,
             1,
             2,
             3,
             4,
             5,
             7,
             33,
             100,
             1UL << 16,
             0x7fffffff,
             0x80000000,
             1UL << 47,
             ~0UL,
             ~0UL - 6,
             0x12345678})
        words.push_back(word);
    int done = 0;
    for (const Function& f : kAll)
        for (int k = 0; k < calls && !is_left_out(f.name); ++k, ++done) {
            current = f.name;
            std::array<Word, 14> a;
            for (Word& word : a) word = words[random() % words.size()];
            if (random() % 2 == 0) a[0] = words[random() % 6];  // else few would get far
            reinterpret_cast<Fourteen>(f.call
            )(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13]);
        }
    std::printf("%d calls\n", done);
    return 0;
}
