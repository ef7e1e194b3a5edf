// Programs that call cuBLAS, cuSPARSE, cuRAND and cuSOLVER, under `warplens run --`: plain versions answer,
// in FP64, and say so; wrong calls get the library's status.
#include "tests/support/program.h"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <tuple>

namespace wl::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Said run(const char* program, const std::vector<std::string>& words = {}) {
    std::vector<std::string> all{"run", "--", program};
    all.insert(all.end(), words.begin(), words.end());
    return warplens(all);
}

std::string in_one_line(std::string text) {
    for (char& c : text)
        if (c == '\n') c = ' ';
    return text;
}

TEST(Libraries, CublasAnswersBatchesVectorsAndItsFirstApi) {
    const Said said = run(WL_BLAS);
    EXPECT_EQ(
        said.out,
        "create: 0\n"
        "batches: 10 of 10 right\n"
        "vectors: 30 of 30 right\n"
        "before cublasInit: 1\n"
        "first API: 20 of 20 right\n"
        "no operation in the first API: 7, then 0\n"
        "shutdown: 0\n"
        "destroy: 0\n"
    ) << said.err;
    EXPECT_TRUE(
        has(in_one_line(said.err),
            "note: answered by plain versions on the CPU, not by NVIDIA's code: cublasSgetrfBatched, "
            "cublasSgetriBatched, cublasSmatinvBatched")
    ) << said.err;
    EXPECT_EQ(said.status, 0) << said.err;
}

TEST(Libraries, CusparseMultipliesInEveryForm) {
    const Said said = run(WL_SPARSE);
    EXPECT_EQ(said.out, "create: 0\nSpMV: 96 of 96 right\nSpMM: 384 of 384 right\ndestroy: 0\n") << said.err;
    EXPECT_TRUE(has(in_one_line(said.err), "not by NVIDIA's code: cusparseSpMV, cusparseSpMM")) << said.err;
}

TEST(Libraries, CusparseMultipliesComplexMatricesAndBatches) {
    const Said said = run(WL_BATCHES);
    EXPECT_EQ(
        said.out,
        "complex: 8 of 8 right\n"
        "batches: 8 of 8 right\n"
        "a batch of none: 3\n"
        "of another format: 3\n"
        "two for three: 3\n"
        "memory that ends: 6\n"
        "real ones as complex: 10\n"
        "as it should be: 0\n"
    ) << said.err;
}

TEST(Libraries, CusolverFactorsAndSolves) {
    const Said said = run(WL_SOLVER);
    EXPECT_EQ(
        said.out,
        "create: 0\n"
        "potrf and potrs: 4 of 4 right\n"
        "getrf and getrs: 4 of 4 right\n"
        "not positive definite: info 4\n"
        "singular: info 1\n"
        "destroy: 0\n"
    ) << said.err;
    EXPECT_TRUE(has(in_one_line(said.err), "not by NVIDIA's code: cusolverDnSpotrf, ")) << said.err;
}

// Random123's and L'Ecuyer's first numbers; hashes and normals as NVIDIA's generator on the CPU gives them
// (libcurand 10.4.0 of CUDA 13.0, tests/runtime/libraries/random.cpp linked with it, by the word host).
constexpr const char* kNumbers =
    "published: 6627e8d5 e169c58d bc57ac4c 9b00dbd8, 0.1270111221\n"
    "XORWOW: bits ecb123809da9bfe2 single ae3d9bcfe8452470 double cf0ffa0f8ef40487 legacy 005c92ecba83ae87\n"
    "MRG32k3a: bits cc3e88fd38ac86cb single e6dbf45a57049ec0 double 1fe4bfa9d8372be7 legacy "
    "abe9e019e8623088\n"
    "Philox: bits 28462dfb3fb921d4 single 9ecefd5b9c4f626b double fe3773a9034e75ce legacy 426991db95a4d6fe\n"
    "XORWOW: normal -1.3627 -0.7130, in FP64 2.690068914 -1.504888059, log-normal 1.5129\n"
    "MRG32k3a: normal -0.2012 1.4277, in FP64 2.418967812 1.654409789, log-normal 1.4194\n"
    "Philox: normal -1.9506 -2.5368, in FP64 1.553793388 1.340732633, log-normal 0.2745\n"
    "Sobol: bits 22e8a9873582ae05 bits 2de933a6deb4c5c5 single cf064f3f7f7c8673 double b036f10585ff9a56 "
    "normal -11.6759 0.3627 1.6373, in FP64 -1.300698760 2.774293119\n"
    "Sobol of 64 bits: bits ee9f2e1901e3d1e5 bits ce2b7415657e4a65 single cf064f3f7f7c8673 double "
    "eb78e5a3bdadb740 normal -11.6759 0.3627 1.6373, in FP64 -1.300698761 2.774293118\n";

TEST(Libraries, CurandGivesThePublishedNumbersInTheOrderOfNvidias) {
    const Said device = run(WL_RANDOM), host = run(WL_RANDOM, {"host"});
    EXPECT_EQ(device.out, kNumbers) << device.err;
    EXPECT_EQ(host.out, kNumbers) << host.err;
    EXPECT_TRUE(
        has(in_one_line(device.err), "note: cuRAND: the numbers are those of the published generators")
    ) << device.err;
    EXPECT_TRUE(
        has(in_one_line(device.err), "not by NVIDIA's code: curandGenerate, curandGenerateUniformDouble, ")
    ) << device.err;
}

// What each call answers: success is 0.
constexpr const char* kWrongBlas =
    "create: 0\n"
    "as it should be: 0\n"
    "m below 0: 7\n"
    "lda below m: 7\n"
    "no operation: 7\n"
    "a wild matrix: 13\n"
    "freed memory: 13\n"
    "no factor: 7\n"
    "a wild factor: 13\n"
    "a wild handle: 1\n"
    "no handle: 1\n"
    "nowhere to put it: 7\n"
    "a batch below 0: 7\n"
    "a wild matrix of a batch: 13\n"
    "too large an inverse: 7\n"
    "steps of 0: 7\n"
    "not there: 15\n"
    "destroy: 0\n";
constexpr const char* kWrongSparse =
    "create: 0\n"
    "as it should be: 0\n"
    "rows below 0: 3\n"
    "more elements than there is room: 3\n"
    "a vector of another size: 3\n"
    "no operation: 3\n"
    "16-bit indices: 10\n"
    "half precision: 10\n"
    "a column that is none: 6\n"
    "offsets that become smaller: 6\n"
    "a wild address: 6\n"
    "freed memory: 6\n"
    "no handle: 3\n"
    "a wild handle: 3\n"
    "a matrix that is none: 3\n"
    "nowhere to put it: 3\n"
    "not there: 10\n"
    "destroy: 0\n";
constexpr const char* kWrongSolver =
    "create: 0\n"
    "as it should be: 0\n"
    "n below 0: 3\n"
    "lda below n: 3\n"
    "no triangle: 3\n"
    "no operation: 3\n"
    "pivots that are no rows: 3\n"
    "more rows than there are: 6\n"
    "a wild address: 6\n"
    "no info: 3\n"
    "a wild handle: 1\n"
    "nowhere to put it: 3\n"
    "not there: 9\n"
    "destroy: 0\n";
constexpr const char* kWrongRandom =
    "as it should be: 0\n"
    "nothing: 0\n"
    "no generator of that number: 103\n"
    "MT19937: 999\n"
    "scrambled Sobol: 999\n"
    "a seed for Sobol: 103\n"
    "no dimension: 104\n"
    "20,000 dimensions: 999\n"
    "8 numbers in 3 dimensions: 105\n"
    "dimensions of XORWOW: 103\n"
    "an odd number of pairs: 105\n"
    "more than there is room: 201\n"
    "far more: 104\n"
    "a wild address: 201\n"
    "freed memory: 201\n"
    "nowhere: 104\n"
    "no order of that number: 104\n"
    "a wild generator: 101\n"
    "nowhere to put it: 101\n"
    "not there: 999\n"
    "twice destroyed: 101\n";

TEST(Libraries, WrongCallsGetTheStatusOfTheLibrary) {
    const Said blas = run(WL_BLAS, {"wrong"}), sparse = run(WL_SPARSE, {"wrong"}),
               solver = run(WL_SOLVER, {"wrong"}), random = run(WL_RANDOM, {"wrong"});
    EXPECT_EQ(blas.out, kWrongBlas) << blas.err;
    EXPECT_EQ(sparse.out, kWrongSparse) << sparse.err;
    EXPECT_EQ(solver.out, kWrongSolver) << solver.err;
    EXPECT_EQ(random.out, kWrongRandom) << random.err;
    for (const auto& [said, call, status] : {
             std::tuple{&blas,   "cublasCherk_v2",              "CUBLAS_STATUS_NOT_SUPPORTED"  },
             std::tuple{&sparse, "cusparseSpGEMM_createDescr",  "CUSPARSE_STATUS_NOT_SUPPORTED"},
             std::tuple{&solver, "cusolverDnSgeqrf_bufferSize", "CUSOLVER_STATUS_NOT_SUPPORTED"},
             std::tuple{&random, "curandGeneratePoisson",       "CURAND_STATUS_INTERNAL_ERROR" }
    })
        EXPECT_TRUE(
            has(in_one_line(said->err),
                std::string(call) + " is not supported; the program got " + status + ", at ")
        ) << said->err;
    EXPECT_TRUE(has(in_one_line(sparse.err), "note: the columns hold 2 at 1; they may go from 0 to 1"))
        << sparse.err;
}

TEST(Libraries, CallsAtRandomGetAStatus) {
    std::FILE* program = popen(WL_WILD " 1 20 2>/dev/null", "r");
    ASSERT_NE(program, nullptr);
    std::array<char, 4096> said{};
    const size_t bytes = std::fread(said.data(), 1, said.size() - 1, program);
    EXPECT_EQ(pclose(program), 0) << said.data();
    EXPECT_TRUE(has({said.data(), bytes}, "43860 calls")) << said.data();
}

// How the program is linked changes nothing then.
TEST(Libraries, AnotherLibraryOfNvidiasIsToldThatItStaysMachineCode) {
    const Said said = run(WL_TRANSFORM);
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_EQ(said.out, "209 801\n") << said.err;
    EXPECT_TRUE(has(
        in_one_line(said.err),
        "libcufft.so.12 is a library of NVIDIA's: its kernels are machine code, which the emulator does not "
        "run, and however the program is linked, that stays so; plain versions on the CPU answer calls of "
        "the "
        "shared libraries of cuBLAS, cuSPARSE, cuRAND and cuSOLVER alone"
    )) << said.err;
    EXPECT_FALSE(has(said.err, "-cudart shared")) << said.err;
}

// DT_RPATH comes before LD_LIBRARY_PATH.
TEST(Libraries, AProgramsOwnFolderOfLibrariesComesAfterThePlainVersions) {
    EXPECT_EQ(run(WL_VERSION_PROGRAM).out, "10400\n");
}

}  // namespace
}  // namespace wl::test
