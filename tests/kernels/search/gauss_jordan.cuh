// Sizes of gauss_jordan.cu, in a header, so that lines of the source are not those of what is compiled.
#pragma once

constexpr int kOrder = 12, kWide = 2 * kOrder, kThreads = 64;
