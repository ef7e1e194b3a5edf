// Captures of strangers: what they name is data. Nothing of it is opened, compiled or run unless the user
// says so.
#include "instrumentation/capture/file.h"
#include "instrumentation/launches/launch_file.h"
#include "tests/support/program.h"

#include <array>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;

// Which files of a folder were opened since it was watched.
struct Trap {
    int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    explicit Trap(const std::string& folder) { inotify_add_watch(descriptor, folder.c_str(), IN_OPEN); }
    Trap(const Trap&) = delete;
    Trap& operator=(const Trap&) = delete;
    ~Trap() { close(descriptor); }
    std::string opened() const {
        alignas(inotify_event) std::array<char, 1 << 16> bytes{};
        const ssize_t size = read(descriptor, bytes.data(), bytes.size());
        std::string names;
        for (ssize_t at = 0; at < size;) {
            const auto* event = reinterpret_cast<const inotify_event*>(bytes.data() + at);
            names += event->len > 0 ? std::string(event->name) + " " : "the folder ";
            at += static_cast<ssize_t>(sizeof(inotify_event)) + event->len;
        }
        return names;
    }
};

const std::string kSource = R"(extern "C" __global__ void mine(const float* A, float* C, int n) {
    __shared__ float kept[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = 2 * A[i];
    __syncthreads();
    const float twice = kept[threadIdx.x];
    if (i < n) C[i] = i == 5 ? 7 : twice;
}
)";
const std::string kManifest = R"(args = [
  { name = "A", dtype = "f32", shape = ["N"], fill = "FILL" },
  { name = "C", dtype = "f32", shape = ["N"], output = true },
  { name = "n", dtype = "s32", value = "N" },
]
params = { N = 64 }
launch = { grid = [2], block = [32] }
reference = { python = "mine.py" }
)";

// 64 floats, 0, 1/8, 2/8, ... as numpy writes them.
std::string small_array() {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }";
    header.resize(117, ' ');
    std::string file = std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n";
    for (int i = 0; i < 64; ++i) {
        const float value = static_cast<float>(i) / 8;
        file.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return file;
}

// A kernel with a reference in Python that leaves a mark wherever it runs, and a wrong element.
struct Stranger : testing::Test {
    TemporaryFolder folder;
    const std::string from = folder.path + "/from", here = folder.path + "/here",
                      mark = folder.path + "/mark";
    const std::string capture = here + "/mine.wlcap";
    // A user's memory of its own, and no sandbox, so that the mark can be left.
    std::vector<std::string> user(const std::string& name) const {
        return {"XDG_STATE_HOME=" + folder.path + "/" + name, "WARPLENS_PYTHON_SANDBOX=off"};
    }
    void write_kernel(const std::string& where, const std::string& fill = "normal") const {
        fs::create_directories(where);
        write_file(where + "/mine.cu", kSource);
        std::string manifest = kManifest;
        write_file(where + "/mine.toml", manifest.replace(manifest.find("FILL"), 4, fill));
        write_file(
            where + "/mine.py",
            "open('" + mark + "', 'w')\ndef reference(inputs, params):\n    return {'C': 2 * inputs['A']}\n"
        );
    }
    Said say(const std::string& name, const std::vector<std::string>& words) const {
        return warplens(words, user(name));
    }
    // What a colleague made and sent.
    void receive(const std::vector<std::string>& more = {}) const {
        fs::create_directories(here);
        std::vector<std::string> words{"run", from + "/mine.toml", "-o", capture, "--search", "0"};
        words.insert(words.end(), more.begin(), more.end());
        const Said said = say("colleague", words);
        ASSERT_EQ(said.status, 1) << said.out << said.err;
        ASSERT_TRUE(fs::remove(mark));
    }
    void edit(const std::function<void(capture::Capture&)>& change, const std::string& to) const {
        capture::Capture c = capture::read_capture(capture);
        change(c);
        capture::write_capture(c, to);
    }
    std::vector<std::vector<std::string>> everything(const std::string& file) const {
        const std::string out = folder.path + "/out";
        return {
            {"diagnose",     file        },
            {"diagnose",     file,         "--report", out + ".html"},
            {"diagnose", file,             "--format", "sarif"},
            {"tiles",          file},
            {"show",              file,                    "--tile", "C", "--plain", "-o", out + ".png"},
            {"open",              file,                      "--screenshot", out + ".png", "--size", "640x400"},
            {"why",      file,"--tile", "C", "--element", "0,5"},
            {"at",          file,          "--line", "6"},
            {"at",         file,    "--shared"},
            {"at",  file,      "--line", "6", "--build", "debug"},
            {"writers",              file                     },
            {"banks",      file                   },
            {"compare",         file,                     file},
            {"hazards", file},
            {"estimate",              file                      },
            {"run",    file            },
            {"bench",         file       },
            {"accept",     file         },
            {"sweep",      file},
            {"init",        file          },
            {"check",      file     }
        };
    }
    void expect_untouched(const std::string& file, const std::string& evil) const {
        const Trap trap(evil);
        for (const std::vector<std::string>& words : everything(file)) {
            const Said said = say("stranger", words);
            EXPECT_LE(said.status, 3) << words.front() << ": " << said.err;
            EXPECT_EQ(trap.opened(), "") << words.front() << " opened it\n" << said.out << said.err;
            EXPECT_FALSE(fs::exists(mark)) << words.front() << " ran its Python";
        }
    }
};

TEST_F(Stranger, NothingThatACaptureNamesIsOpenedCompiledOrRun) {
    const std::string evil = folder.path + "/evil";
    write_kernel(from);
    write_kernel(evil);
    for (const char* suffix : {".cu", ".toml", ".py"})
        fs::rename(evil + "/mine" + suffix, evil + "/evil" + suffix);
    receive();
    const std::string file = here + "/sent.wlcap";
    for (const std::string& kernel :
         {std::string("../evil/evil"), evil + "/evil", std::string("../evil/evil.wllaunch")}) {
        edit([&](capture::Capture& c) { c.launch.kernel = kernel; }, file);
        expect_untouched(file, evil);
    }
    edit(
        [&](capture::Capture& c) {
            c.launch.kernel = "evil", c.launch.inputs = evil + "/evil.npz";
            for (capture::Source& s : c.sources)
                s.path = evil + "/evil" + fs::path(s.path).extension().string();
        },
        file
    );
    expect_untouched(file, evil);
}

TEST_F(Stranger, InputsThatTheReferenceChoseAreNotChosenAgain) {
    write_kernel(from);
    receive({"--inputs", "nan-padding"});
    const Trap trap(from);
    for (const std::vector<std::string>& words : {
             std::vector<std::string>{"at",     capture, "--line", "6"},
             {"writers",     capture           },
             {"banks",capture}
    }) {
        const Said said = say("stranger", words);
        EXPECT_LE(said.status, 1) << words.front() << ": " << said.err;
        EXPECT_EQ(trap.opened(), "") << words.front();
        EXPECT_FALSE(fs::exists(mark)) << words.front();
    }
}

TEST_F(Stranger, ACaptureIsRepeatedFromWhatItCarries) {
    write_kernel(from, "A.npy");
    write_file(from + "/A.npy", small_array());
    receive();
    const std::vector<std::string> why{"why", capture, "--tile", "C", "--element", "0,3"},
        writers{"writers", capture};
    const Said known = say("colleague", why), stores = say("colleague", writers);
    EXPECT_EQ(known.status, 0) << known.err;
    fs::remove_all(from);
    fs::remove(mark);
    const Said said = say("stranger", why);
    EXPECT_EQ(said.status, known.status) << said.err;
    for (const char* words :
         {"= 0.75", "kept[threadIdx.x] = 2 * A[i];", "A: 1 element", "does not run unless --trust is added"})
        EXPECT_NE(said.out.find(words), std::string::npos) << words << "\n" << said.out;
    const std::string again = say("stranger", writers).out;  // but for the seconds
    EXPECT_EQ(again.substr(again.find("\n\nC ")), stores.out.substr(stores.out.find("\n\nC ")));
    EXPECT_EQ(say("stranger", {"at", capture, "--line", "6"}).status, 0);
    EXPECT_FALSE(fs::exists(mark));
}

TEST_F(Stranger, WhatNeedsTheSourcesSaysHowItIsAllowed) {
    write_kernel(from);
    receive();
    const std::vector<std::string> at{"at", capture, "--line", "6", "--build", "debug"};
    const Said refused = say("stranger", at);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("mine.toml"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("add --trust"), std::string::npos) << refused.err;
    const Said optimised = say("stranger", {"at", capture, "--line", "6"});
    EXPECT_EQ(optimised.status, 0) << optimised.err;
    EXPECT_NE(optimised.out.find("unless --trust is added"), std::string::npos) << optimised.out;
}

TEST_F(Stranger, TrustIsKeptByContentAndNotByPath) {
    write_kernel(from);
    receive();
    write_kernel(here);
    const std::vector<std::string> at{"at", capture, "--line", "6", "--print", "twice"};
    EXPECT_EQ(say("stranger", at).status, 2) << "the optimised build has no variables";
    std::vector<std::string> allowed = at;
    allowed.emplace_back("--trust");
    const Said said = say("stranger", allowed);
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("twice"), std::string::npos) << said.out;
    EXPECT_EQ(say("stranger", at).status, 0) << "it is remembered";
    write_file(here + "/mine.py", read_file(here + "/mine.py") + "# changed\n");
    EXPECT_EQ(say("stranger", at).status, 2) << "another reference is another kernel";
}

TEST_F(Stranger, WhatTheUserRanIsKnownWhereverItsCaptureLies) {
    write_kernel(from);
    receive();
    const std::string moved = folder.path + "/moved.wlcap";
    fs::rename(capture, moved);
    const Said said = say("colleague", {"at", moved, "--line", "6", "--print", "twice"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("twice"), std::string::npos) << said.out;
}

// Trust is of the kernel as it is now; a capture of it as it was is repeated from what it carries.
TEST_F(Stranger, ACaptureOfAnEarlierSourceIsNotOfTheKernelAsItIs) {
    write_kernel(from);
    receive();
    std::string source = kSource;
    write_file(from + "/mine.cu", source.replace(source.find("2 * A"), 1, "3"));
    const std::string later = folder.path + "/later.wlcap";
    EXPECT_EQ(say("colleague", {"run", from + "/mine.toml", "-o", later, "--search", "0"}).status, 1);
    const Said said = say("colleague", {"at", capture, "--line", "6", "--print", "twice"});
    EXPECT_EQ(said.status, 2) << said.out;
    EXPECT_EQ(say("colleague", {"at", capture, "--line", "6"}).status, 0);
    EXPECT_EQ(say("colleague", {"at", later, "--line", "6", "--print", "twice"}).status, 0);
}

// Nor is it of a kernel of ours that has its name.
TEST_F(Stranger, ACaptureThatCallsItselfAKernelOfOursIsNone) {
    write_kernel(from);
    receive();
    const std::string file = here + "/sent.wlcap";
    edit([](capture::Capture& c) { c.launch.kernel = "v2c_3"; }, file);
    const Said said = say("stranger", {"at", file, "--line", "6", "--print", "twice"});
    EXPECT_EQ(said.status, 2) << said.out;
    EXPECT_NE(said.err.find("add --trust"), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("kernels/v2c_3"), std::string::npos) << said.err;
}

TEST_F(Stranger, NothingThatARecordedLaunchNamesIsOpened) {
    const std::string secret = folder.path + "/secret", file = folder.path + "/sent.wllaunch";
    fs::create_directories(secret);
    write_file(secret + "/key", "-----BEGIN PRIVATE KEY-----\n");
    launches::RecordedLaunch sent =
        launches::read_launch(source_path("tests/golden/launches/program-scale.wllaunch"));
    sent.ptx += "\n.file 9 \"" + secret + "/key\"\n";
    launches::write_launch(sent, file);
    const Trap trap(secret);
    const Said said = say("stranger", {"diagnose", file, "-o", folder.path + "/launch.wlcap"});
    EXPECT_LE(said.status, 1) << said.err;
    EXPECT_EQ(trap.opened(), "");
}

TEST_F(Stranger, AnEntryThatThePtxLacksIsOneSentence) {
    write_kernel(from);
    receive();
    const std::string file = here + "/lacks.wlcap";
    edit([&](capture::Capture& c) { c.launch.entry = "nothing"; }, file);
    for (const char* who : {"stranger", "colleague"})
        for (const std::vector<std::string>& words : {
                 std::vector<std::string>{"why",        file,  "--tile", "C", "--element", "0,5"},
                 {"at", file, "--shared"        }
        }) {
            const Said said = say(who, words);
            EXPECT_EQ(said.status, 2) << words.front() << said.out;
            EXPECT_NE(said.err.find("nothing"), std::string::npos) << said.err;
        }
    EXPECT_EQ(say("colleague", {"diagnose", file, "--report", folder.path + "/r.html"}).status, 1);
}

TEST_F(Stranger, AnEstimateDoesNotRunTheReference) {
    write_kernel(from);
    const Said said = say("colleague", {"estimate", from + "/mine.toml"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_FALSE(fs::exists(mark));
}

}  // namespace
}  // namespace wl::test
