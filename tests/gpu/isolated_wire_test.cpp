// What goes to the process that runs kernels, and back: every field, and nothing where a message is cut
// short.
#include "instrumentation/gpu/isolated_wire.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace wl::gpu {
namespace {

RunRequest request() {
    RunRequest r;
    r.text = ".version 8.0\n", r.entry = "kernel", r.tiles = true, r.blocks = {3, 5};
    r.launch.grid = {2, 3, 4}, r.launch.block = {32, 1, 2}, r.launch.dynamic_shared = 48;
    r.launch.params = {std::byte{7}, std::byte{9}}, r.launch.stack_bytes = 2048, r.launch.cooperative = true;
    execution::allocate(r.memory, "x", std::vector<std::byte>(300, std::byte{1}), false);
    r.memory.allocations[0].addresses = {8, 16};
    execution::Texture t;
    t.name = "image", t.data = r.memory.allocations[0].base, t.extent = {4, 5, 6}, t.border = {1, 2, 3, 4};
    t.address = {
        execution::AddressMode::wrap, execution::AddressMode::mirror, execution::AddressMode::border};
    r.memory.textures.push_back(t);
    return r;
}

TEST(IsolatedWire, ARequestComesAsItWent) {
    const RunRequest sent = request();
    const std::optional<RunRequest> r = request_of(bytes_of(sent));
    ASSERT_TRUE(r);
    EXPECT_EQ(r->text, sent.text);
    EXPECT_EQ(r->entry, "kernel");
    EXPECT_EQ(r->blocks, sent.blocks);
    EXPECT_TRUE(r->tiles && r->launch.cooperative);
    EXPECT_EQ(r->launch.grid, (Dim3{2, 3, 4}));
    EXPECT_EQ(r->launch.block, (Dim3{32, 1, 2}));
    EXPECT_EQ(r->launch.dynamic_shared, 48u);
    EXPECT_EQ(r->launch.stack_bytes, 2048u);
    EXPECT_EQ(r->launch.params, sent.launch.params);
    ASSERT_EQ(r->memory.allocations.size(), 1u);
    const execution::Allocation& a = r->memory.allocations[0];
    EXPECT_EQ(a.name, "x");
    EXPECT_EQ(a.base, sent.memory.allocations[0].base);
    EXPECT_EQ(a.bytes, sent.memory.allocations[0].bytes);
    EXPECT_EQ(a.written, std::vector<uint8_t>(300, 0));
    EXPECT_EQ(a.addresses, (std::vector<uint64_t>{8, 16}));
    ASSERT_EQ(r->memory.textures.size(), 1u);
    const execution::Texture& t = r->memory.textures[0];
    EXPECT_EQ(t.name, "image");
    EXPECT_EQ(t.data, sent.memory.textures[0].data);
    EXPECT_EQ(t.extent, (std::array<uint32_t, 3>{4, 5, 6}));
    EXPECT_EQ(t.border, (std::array<float, 4>{1, 2, 3, 4}));
    EXPECT_EQ(t.address, sent.memory.textures[0].address);
}

RunAnswer answer() {
    RunAnswer a;
    a.blocks = 5, a.seconds = 0.25;
    execution::TileSnapshot tile;
    tile.site = 9, tile.mark = 2, tile.block = 4, tile.warp = 1, tile.iteration = 3, tile.rows = 2,
    tile.cols = 1;
    tile.memory = "shared", tile.values = {std::byte{1}, std::byte{2}}, tile.ld = 7, tile.address = 64;
    a.tiles = {tile};
    execution::Incident i;
    i.kind = execution::Incident::Kind::device_fault, i.detail = "it stopped", i.count = 3;
    a.incidents = {i};
    return a;
}

TEST(IsolatedWire, AnAnswerComesAsItWent) {
    const std::optional<RunAnswer> a = answer_of(bytes_of(answer()));
    ASSERT_TRUE(a);
    EXPECT_EQ(a->blocks, 5u);
    EXPECT_EQ(a->seconds, 0.25);
    ASSERT_EQ(a->tiles.size(), 1u);
    EXPECT_EQ(a->tiles[0].site, 9u);
    EXPECT_EQ(a->tiles[0].iteration, 3);
    EXPECT_EQ(a->tiles[0].memory, "shared");
    EXPECT_EQ(a->tiles[0].values, answer().tiles[0].values);
    EXPECT_EQ(a->tiles[0].ld, 7);
    ASSERT_EQ(a->incidents.size(), 1u);
    EXPECT_EQ(a->incidents[0].kind, execution::Incident::Kind::device_fault);
    EXPECT_EQ(a->incidents[0].detail, "it stopped");
}

TEST(IsolatedWire, NoPrefixIsAMessage) {
    const std::string asked = bytes_of(request()), answered = bytes_of(answer());
    for (size_t n = 0; n < asked.size(); ++n) EXPECT_FALSE(request_of(asked.substr(0, n))) << n;
    for (size_t n = 0; n < answered.size(); ++n) EXPECT_FALSE(answer_of(answered.substr(0, n))) << n;
    EXPECT_FALSE(request_of(asked + "x"));
}

TEST(IsolatedWire, AMessageComesWholeOrNotAtAll) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const std::string large(1 << 20, 'x');
    std::jthread sender([&] { EXPECT_TRUE(send_message(ends[0], large)); });
    EXPECT_EQ(receive_message(ends[1], 10), large);
    EXPECT_EQ(receive_message(ends[1], 0.05), std::nullopt) << "nothing was sent";
    close(ends[0]);
    EXPECT_EQ(receive_message(ends[1], 0), std::nullopt) << "nobody is there";
    EXPECT_FALSE(send_message(ends[1], "to nobody"));
    close(ends[1]);
}

}  // namespace
}  // namespace wl::gpu
