// Drawings as files: what a tile is called is text in them.
#include "app/draw/sheet.h"

#include <gtest/gtest.h>
#include <string>

namespace wl::app {
namespace {

TEST(Drawing, ATextOfAFileIsTextInAnSvg) {
    const std::string hostile = "</text><script>alert(1)</script>\" onload=\"x\033[2J\xff\uffff&#0;]]>";
    Sheet sheet;
    sheet.width = sheet.height = 10;
    sheet.cells.push_back({0, 0, 5, 5, {}, hostile});
    sheet.texts.push_back({1, 1, 9, Anchor::left, false, hostile});
    const std::string
        svg = svg_of(sheet),
        shown =
            "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x\\u001b[2J\\xff"
            "\\uffff&amp;#0;]]&gt;</text>";
    const size_t first = svg.find(">" + shown);
    ASSERT_NE(first, std::string::npos) << svg;
    EXPECT_NE(svg.find(">" + shown, first + 1), std::string::npos) << svg;
    EXPECT_EQ(svg.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace wl::app
