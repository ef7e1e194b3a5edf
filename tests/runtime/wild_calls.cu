// wild_calls [--jobs N] [--only PART] [--seconds N]: prints "row: answer" for each row whose name has the
// part. A row that dies is "signal N", one that takes longer than 10 s "hang", one that is not begun in N
// seconds "not run".
#include "wild/table.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void takes_two(float* p, int n) {
    if (n < 0) p[threadIdx.x] = 1;
}
__global__ void takes_none() {}
__device__ float lies_here[16];

namespace wild {

const void* kernel() { return reinterpret_cast<const void*>(&takes_two); }
const void* plain_kernel() { return reinterpret_cast<const void*>(&takes_none); }
const void* variable() { return reinterpret_cast<const void*>(&lies_here); }

namespace {

constexpr size_t kLine = 400;
constexpr unsigned kSeconds = 10;
using Line = char[kLine];

void run_one(const Row& row, Line& line) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        alarm(kSeconds);
        Answers say;
        row.call(say);
        std::strncpy(line, say.text.c_str(), kLine - 1);
        _exit(0);
    }
    int state = 0;
    waitpid(child, &state, 0);
    if (!WIFSIGNALED(state)) return;
    if (WTERMSIG(state) == SIGALRM)
        std::strcpy(line, "hang");
    else
        std::snprintf(line, kLine, "signal %d", WTERMSIG(state));
}

}  // namespace
}  // namespace wild

int main(int count, char** words) {
    using namespace wild;
    int jobs = 1, seconds = 3600;
    std::string part;
    for (int k = 1; k + 1 < count; k += 2) {
        if (std::string(words[k]) == "--jobs") jobs = std::atoi(words[k + 1]);
        if (std::string(words[k]) == "--only") part = words[k + 1];
        if (std::string(words[k]) == "--seconds") seconds = std::atoi(words[k + 1]);
    }
    const size_t bytes = rows().size() * kLine;
    auto* lines =
        static_cast<Line*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    const auto wanted = [&](const Row& row) { return std::string(row.name).find(part) != std::string::npos; };
    const time_t end = time(nullptr) + seconds;
    for (int job = 0; job < jobs; ++job) {
        if (fork() != 0) continue;
        for (size_t k = job; k < rows().size(); k += jobs) {
            std::strcpy(lines[k], "not run");
            if (wanted(rows()[k]) && time(nullptr) < end) run_one(rows()[k], lines[k]);
        }
        _exit(0);
    }
    while (wait(nullptr) > 0) {}
    for (size_t k = 0; k < rows().size(); ++k)
        if (wanted(rows()[k])) std::printf("%s: %s\n", rows()[k].name, lines[k]);
    return 0;
}
