// A source with a main, as programs have it: its kernels are searched as if they stood alone.
#include "tests/support/program.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kHost = R"(
static std::vector<float> collected;
template <class Kernel> void launch(Kernel kernel) { kernel<<<1, 32>>>(); }
int main(int argc, char** argv) {
    float* p = nullptr;
    cudaMalloc(&p, 4 * argc);
    std::printf("%s %zu\n", argv[0], collected.size());
    return 0;
}
)";

std::string text_of(const std::string& path) {
    std::stringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

// The kernel `centre` with host code around it; gives its manifest.
std::string with_host_part(const std::string& head, const std::string& tail) {
    const fs::path folder =
        fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder);
    for (const char* file : {"centre.toml", "centre.py"})
        fs::copy_file(
            source_path(std::string("tests/kernels/search/") + file),
            folder / file,
            fs::copy_options::overwrite_existing
        );
    std::ofstream(folder / "centre.cu")
        << head << text_of(source_path("tests/kernels/search/centre.cu")) << tail;
    return (folder / "centre.toml").string();
}

json searched(const std::string& kernel, std::vector<std::string> words) {
    words.insert(words.begin(), {"diagnose", kernel, "--fault", "index", "--json"});
    return json::parse(warplens(words).out, nullptr, false);
}

TEST(HostPart, AMainIsNoHindranceToTheSearch) {
    for (const auto& [head, tail] :
         {std::pair("", "int main() { return 0; }\n"),
          std::pair("#include <cstdio>\n#include <vector>\n", kHost)}) {
        const json answer = searched(with_host_part(head, tail), {"--search", "300"});
        const json& first = answer.at("findings")[0];
        EXPECT_EQ(first.at("title"), "`rows` should be `cols`") << tail << first.dump(1);
        EXPECT_EQ(first.at("proven"), true) << tail;
    }
}

TEST(HostPart, AnIdeaIsTriedInASourceWithAMain) {
    const json answer = searched(
        with_host_part("", "int main() { return 0; }\n"),
        {"--search", "0", "--try", "17: * rows + c -> * cols + c"}
    );
    EXPECT_EQ(answer.at("findings")[0].at("rule"), "tried_change") << answer.dump(1);
}

}  // namespace
}  // namespace wl::test
