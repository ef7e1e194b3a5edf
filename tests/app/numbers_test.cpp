// What stands in a cell must be read as the number it is.
#include "app/draw/numbers.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>

namespace wl::app {
namespace {

TEST(CellNumber, ShortensToItsRoomWithoutLeadingZeros) {
    EXPECT_EQ(cell_number(-0.4321, 4), "-.43");
    EXPECT_EQ(cell_number(0.4321, 4), ".432");
    EXPECT_EQ(cell_number(-12.34, 5), "-12.3");
    EXPECT_EQ(cell_number(1234.5, 4), "1234");
    EXPECT_EQ(cell_number(3.04e-5, 4), "3e-5");
    EXPECT_EQ(cell_number(1, 4), "1");
    EXPECT_EQ(cell_number(-0.0, 4), "0");
    EXPECT_EQ(cell_number(123456789, 4), "1e8");
    EXPECT_EQ(cell_number(-0.9984, 3), "-1");
    EXPECT_EQ(cell_number(-0.94, 3), "-.9");
    EXPECT_EQ(cell_number(123456789, 2), "*") << "rather nothing than a wrong number";
}

TEST(CellNumber, EveryTextIsNearItsValueAndFits) {
    constexpr int kSteps = 175;  // 1e-12 * 1.37^175 lies near 1e12
    for (int step = 0; step < kSteps; ++step) {
        const double value = 1e-12 * std::pow(1.37, step);
        for (const int room : {4, 5, 6, 8}) {
            for (const double signed_value : {value, -value}) {
                const std::string text = cell_number(signed_value, room);
                ASSERT_LE(text.size(), static_cast<size_t>(room));
                if (text == "*") continue;
                EXPECT_NEAR(std::atof(text.c_str()) / signed_value, 1, 0.5)
                    << text << " for " << signed_value;
            }
        }
    }
}

TEST(Number, NamesWhatIsNoNumber) {
    EXPECT_EQ(number(std::nan("")), "NaN");
    EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "-Inf");
    EXPECT_EQ(count_text(1234567), "1 234 567");
    EXPECT_EQ(count_text(-123), "-123");
}

}  // namespace
}  // namespace wl::app
