// The HTML page of a run: whole, by itself, and telling what the text tells.
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::test {
namespace {

struct Page {
    TemporaryFolder folder;
    std::string path = folder.path + "/page.html", text;
    explicit Page(std::vector<std::string> words) {
        words.insert(words.end(), {"--report", path, "--quiet"});
        const Said said = warplens(words);
        EXPECT_LE(said.status, 1) << said.err;
        text = read_file(path);
    }
    bool has(const std::string& part) const { return text.find(part) != std::string::npos; }
};

size_t count(const std::string& text, const std::string& part) {
    size_t out = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

// Every element that is opened is closed, in order.
void expect_nested(const std::string& text) {
    std::vector<std::string> open;
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
        const bool closes = text[at + 1] == '/';
        const size_t first = at + (closes ? 2 : 1);
        const std::string name =
            text.substr(first, text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", first) - first);
        if (name.empty() || name == "meta" || name == "img") continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        ASSERT_FALSE(open.empty()) << name;
        ASSERT_EQ(open.back(), name);
        open.pop_back();
    }
    EXPECT_TRUE(open.empty());
}

TEST(Page, TellsTheFindingItsLineItsTilesAndWhatWasRun) {
    const Page page({"run", "v2c_3", "--fault", "32x", "--shape", "1,1,64,64", "-o", "x.wlcap"});
    expect_nested(page.text.substr(page.text.find("<html")));
    for (const char* part :
         {"<title>v2c_3+32x: findings</title>",
          "<code>constant_factor</code>",
          ">proven</span>",
          "consequence of 1",
          "l_add = warp_reduce_sum(l_add);</span>",
          "Where the first wrong element comes from",
          "l[0,0]",
          "1 of 1 wrong",
          "64 of 64 elements wrong",
          "not wrong</summary>",
          "prefers-color-scheme: dark",
          "simulated by the CPU emulator",
          "SHA-256",
          "seed 0"})
        EXPECT_TRUE(page.has(part)) << part;
    EXPECT_GE(count(page.text, "src=\"data:image/png;base64,iVBORw0KGgo"), 9U);
    EXPECT_EQ(count(page.text, "class=\"here\"><i>"), 2U) << "the lines of both findings";
    EXPECT_GE(count(page.text, "class=\"here\">  &gt; "), 1U) << "the lines of the chain";
}

TEST(Page, NeedsNothingFromElsewhere) {
    const Page page({"run", "v2c_3", "--shape", "1,1,64,64", "-o", "x.wlcap"});
    for (const char* part : {"<script", "<link", "http://", "https://", "@import", "url("})
        EXPECT_FALSE(page.has(part)) << part;
    EXPECT_TRUE(page.has("class=\"verdict good\">ok<"));
    EXPECT_FALSE(page.has("<h2>Findings</h2>"));
    EXPECT_LT(page.text.size(), 1000000U);
}

TEST(Page, TextOfTheKernelIsText) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/k.cu",
        "extern \"C\" __global__ void k(float* c) { if (1 < 2 && 3 > 2) c[threadIdx.x] = 1; } // "
        "<script>\"&\n"
    );
    write_file(
        folder.path + "/k.toml",
        "args = [{ name = \"c\", dtype = \"f32\", shape = [7], output = true }]\n[launch]\ngrid = [1]\nblock "
        "= [8]\n"
    );
    const Page page({"diagnose", folder.path + "/k.toml", "--search", "0"});
    expect_nested(page.text.substr(page.text.find("<html")));
    EXPECT_TRUE(page.has("if (1 &lt; 2 &amp;&amp; 3 &gt; 2)"));
    EXPECT_TRUE(page.has("&lt;script&gt;&quot;&amp;"));
    EXPECT_FALSE(page.has("<script"));
}

TEST(Page, AnUnwritablePlaceIsAnErrorBeforeTheRun) {
    const Said said = warplens({"run", "v2c_3", "--report", "/nowhere/page.html"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("/nowhere/page.html"), std::string::npos) << said.err;
}

TEST(Page, APlainPictureNeedsNoOpenGL) {
    const TemporaryFolder folder;
    const std::string capture = folder.path + "/x.wlcap", png = folder.path + "/l.png";
    warplens({"run", "v2c_3", "--fault", "32x", "--shape", "1,1,64,64", "-o", capture, "--search", "0"});
    for (const char* view : {"got", "ratio", "owner", "coverage"}) {
        const Said said = warplens(
            {"show", capture, "--tile", "l", "--view", view, "--plain", "-o", png},
            {"__EGL_VENDOR_LIBRARY_FILENAMES=/nowhere"}
        );
        EXPECT_EQ(said.status, 0) << said.err;
        EXPECT_EQ(read_file(png).substr(1, 3), "PNG");
    }
}

}  // namespace
}  // namespace wl::test
