// The visible window of the matrix is a texture; Dear ImGui draws it as an image while our program is bound.
#include "app/draw/heat.h"

#include "app/draw/embedded.h"
#include "app/draw/gl.h"
#include "app/draw/look.h"
#include "app/draw/program.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

enum Variant : unsigned {
    kExtremes = 1,
    kSymlog = 2,
    kOwner = 4,
    kGrid = 8,
    kUnder = 16,
    kClipped = 32,
    kSigns = 64,
    kFinite = 128
};
constexpr int kMargin = 192;         // texels kept around the visible window, so that panning rarely uploads
constexpr float kGridFrom = 7;       // pixels a cell
constexpr float kLogDecades = 1000;  // the symmetric logarithm is linear below max / 1000

struct Binding {
    HeatRenderer* renderer = nullptr;
    unsigned variant = 0;
    unsigned palette = 0;
    float scale = 1, bias = 0, neutral = 0, log_scale = 1;
    ImVec2 cell;
    ImVec4 ground;  // on which hatching is drawn
    float opacity = 1;
};

float log_scale_of(const HeatStyle& style) {
    const float largest = std::max(std::abs(style.lo), std::abs(style.hi));
    return largest > 0 ? kLogDecades / largest : 1;
}

float symlog(float value, float scale) {
    return std::copysign(std::log2(1 + std::abs(value) * scale), value);
}

struct Transfer {
    float scale = 1, bias = 0;
};
Transfer transfer_of(const HeatStyle& style) {
    const float k = log_scale_of(style);
    const float lo = style.log ? symlog(style.lo, k) : style.lo,
                hi = style.log ? symlog(style.hi, k) : style.hi;
    if (!(hi > lo)) return {0, 0.5F};
    const double range = static_cast<double>(hi) - lo;  // may be beyond the floats
    return {static_cast<float>(1 / range), static_cast<float>(-lo / range)};
}

// `like`: the program of Dear ImGui's back end, whose vertex layout and projection ours must share.
HeatProgram link(unsigned variant, unsigned like) {
    std::string head = "#version 330 core\n#define PALETTE_SIZE " + std::to_string(kPaletteSize) + "\n";
    if (variant & kExtremes) head += "#define EXTREMES\n";
    if (variant & kSymlog) head += "#define SYMLOG\n";
    if (variant & kOwner) head += "#define OWNER\n";
    if (variant & kGrid) head += "#define GRID\n";
    if (variant & kUnder) head += "#define UNDER\n";
    if (variant & kClipped) head += "#define CLIPPED\n";
    if (variant & kFinite) head += "#define FINITE\n";
    if (variant & kSigns) head += "#define SIGNS\n";
    HeatProgram program;
    program.id = link_like(
        like, head + std::string(heat_vertex_shader()), head + std::string(heat_fragment_shader()), "heatmaps"
    );
    program.projection = glGetUniformLocation(program.id, "ProjMtx");
    program.transfer = glGetUniformLocation(program.id, "Transfer");
    program.neutral = glGetUniformLocation(program.id, "Neutral");
    program.log_scale = glGetUniformLocation(program.id, "LogScale");
    program.cell = glGetUniformLocation(program.id, "Cell");
    program.ground = glGetUniformLocation(program.id, "Ground");
    glUseProgram(program.id);
    glUniform1i(glGetUniformLocation(program.id, "Values"), 0);
    glUniform1i(glGetUniformLocation(program.id, "Palette"), 1);
    return program;
}

Texture make_palette(int width, const void* rgb) {
    Texture texture;
    glGenTextures(1, &texture.id);
    glBindTexture(GL_TEXTURE_2D, texture.id);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, width, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    return texture;
}

void make_palettes(HeatRenderer& renderer) {
    for (int ramp = 0; ramp < kRamps; ++ramp)
        renderer.ramps[static_cast<size_t>(ramp)] =
            make_palette(kPaletteSize, palette_of(static_cast<Ramp>(ramp)).data());
    renderer.owners = make_palette(kOwnerWarps * kOwnerLanes, owner_palette().data());
}

// Runs inside the back end's loop over draw commands, with its program bound.
void bind(const ImDrawList*, const ImDrawCmd* command) {
    const Binding& binding = *static_cast<const Binding*>(command->UserCallbackData);
    const unsigned like = bound_program();
    HeatProgram& program = binding.renderer->programs[binding.variant];
    if (program.id == 0) program = link(binding.variant, like);
    glUseProgram(program.id);
    project_as(like, program.projection);
    glUniform2f(program.transfer, binding.scale, binding.bias);
    glUniform1f(program.neutral, binding.neutral);
    glUniform1f(program.log_scale, binding.log_scale);
    glUniform2f(program.cell, binding.cell.x, binding.cell.y);
    glUniform3f(program.ground, binding.ground.x, binding.ground.y, binding.ground.z);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, binding.palette);
    glActiveTexture(GL_TEXTURE0);
    if (binding.opacity >= 1) {
        glDisable(GL_BLEND);
        return;
    }
    glEnable(GL_BLEND);
    glBlendColor(0, 0, 0, binding.opacity);
    glBlendFunc(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA);
}

void allocate(HeatCanvas& canvas, int width, int height) {
    if (canvas.texture.id == 0) glGenTextures(1, &canvas.texture.id);
    glBindTexture(GL_TEXTURE_2D, canvas.texture.id);
    if (width <= canvas.width && height <= canvas.height) return;
    canvas.width = std::max(width, canvas.width);
    canvas.height = std::max(height, canvas.height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, canvas.width, canvas.height, 0, GL_RG, GL_FLOAT, nullptr);
}

// Elements of the window as they are; with what lies under them: pairs.
std::vector<float> read_elements(const HeatLayer& layer, const BlockWindow& window) {
    const auto cols = static_cast<size_t>(window.cols);
    const size_t channels = layer.under != nullptr ? 2 : 1;
    std::vector<float> texels(static_cast<size_t>(window.rows) * cols * channels), row(cols);
    for (int r = 0; r < window.rows; ++r) {
        float* to = texels.data() + static_cast<size_t>(r) * cols * channels;
        if (layer.under == nullptr) {
            layer.values->read(window.row + r, window.col, window.cols, to);
            continue;
        }
        layer.values->read(window.row + r, window.col, window.cols, row.data());
        for (size_t c = 0; c < cols; ++c) to[2 * c] = row[c];
        layer.under->read(window.row + r, window.col, window.cols, row.data());
        for (size_t c = 0; c < cols; ++c) to[2 * c + 1] = row[c];
    }
    return texels;
}

// A block that is NaN has no largest element: what lies under it takes that place.
void put_under(Matrix<MinMax>& blocks, const HeatLayer& layer, const BlockWindow& window) {
    const Matrix<MinMax> under = reduce(*layer.under, *layer.under_pyramid, window);
    for (size_t i = 0; i < blocks.data.size(); ++i)
        if (std::isnan(blocks.data[i].lo) && !is_absent(blocks.data[i].lo))
            blocks.data[i].hi = under.data[i].hi;
}

void upload(HeatCanvas& canvas, const HeatLayer& layer) {
    const BlockWindow& window = canvas.window;
    allocate(canvas, window.cols, window.rows);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    const auto send = [&window](unsigned format, const void* texels) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, window.cols, window.rows, format, GL_FLOAT, texels);
    };
    if (window.block_rows == 1 && window.block_cols == 1) {
        const std::vector<float> texels = read_elements(layer, window);
        canvas.finite = std::all_of(texels.begin(), texels.end(), [](float v) { return std::isfinite(v); });
        send(layer.under != nullptr ? GL_RG : GL_RED, texels.data());
    } else {
        Matrix<MinMax> blocks = reduce(*layer.values, *layer.pyramid, window);
        if (layer.under != nullptr) put_under(blocks, layer, window);
        canvas.finite = std::all_of(blocks.data.begin(), blocks.data.end(), [](const MinMax& block) {
            return std::isfinite(block.lo) && std::isfinite(block.hi);
        });
        send(GL_RG, blocks.data.data());
    }
}

// A block is at least a pixel, so that every block reaches the screen.
int block_for(double cell) {
    return cell >= 1 ? 1 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::ceil(1 / cell))));
}

struct Span {
    int first = 0, count = 0;
};
Span visible(double from, double extent, int blocks) {
    const int first = std::clamp(static_cast<int>(std::floor(from)), 0, blocks);
    const int end = std::clamp(static_cast<int>(std::ceil(from + extent)), 0, blocks);
    return {first, std::max(0, end - first)};
}
Span with_margin(Span span, int blocks) {
    const int first = std::max(0, span.first - kMargin),
              end = std::min(blocks, span.first + span.count + kMargin);
    return {first, end - first};
}

// Uploads only when what is visible is not on the GPU yet. False: nothing is visible.
bool update(HeatCanvas& canvas, const HeatPicture& picture) {
    const Plane& values = *picture.layer.values;
    int block_rows = block_for(picture.view.cell_height), block_cols = block_for(picture.view.cell_width);
    // A vector is as long as it is: a block of the pyramid holds no other row of it.
    if (values.rows == 1) block_rows = block_cols;
    if (values.cols == 1) block_cols = block_rows;
    const int all_rows = (values.rows + block_rows - 1) / block_rows,
              all_cols = (values.cols + block_cols - 1) / block_cols;
    const Span rows = visible(
        picture.view.row / block_rows, picture.size.y / picture.view.cell_height / block_rows, all_rows
    );
    const Span cols = visible(
        picture.view.col / block_cols, picture.size.x / picture.view.cell_width / block_cols, all_cols
    );
    if (rows.count == 0 || cols.count == 0) return false;
    const BlockWindow& have = canvas.window;
    const bool kept = canvas.texture.id != 0 && canvas.content == picture.layer.content &&
        have.block_rows == block_rows && have.block_cols == block_cols && have.row <= rows.first &&
        rows.first + rows.count <= have.row + have.rows && have.col <= cols.first &&
        cols.first + cols.count <= have.col + have.cols;
    if (kept) return true;
    const Span keep_rows = with_margin(rows, all_rows), keep_cols = with_margin(cols, all_cols);
    canvas.window = {
        .block_rows = block_rows,
        .block_cols = block_cols,
        .row = keep_rows.first,
        .col = keep_cols.first,
        .rows = keep_rows.count,
        .cols = keep_cols.count};
    canvas.content = picture.layer.content;
    upload(canvas, picture.layer);
    return true;
}

Binding binding_for(HeatRenderer& renderer, const HeatPicture& picture, const HeatCanvas& canvas) {
    const BlockWindow& window = canvas.window;
    const ImVec2 cell(
        static_cast<float>(picture.view.cell_width * window.block_cols),
        static_cast<float>(picture.view.cell_height * window.block_rows)
    );
    const bool whole = window.block_rows == 1 && window.block_cols == 1;
    const Transfer transfer = transfer_of(picture.style);
    unsigned variant = 0;
    if (!whole) variant |= kExtremes;
    const bool owners = picture.style.map == HeatMap::owners;
    const bool signs = !owners && picture.style.overlay == Overlay::signs;
    if (owners) variant |= kOwner;
    if (picture.style.log && !owners && !signs) variant |= kSymlog;
    if (whole && std::min(cell.x, cell.y) >= kGridFrom) variant |= kGrid;
    if (picture.layer.under != nullptr && !owners && !canvas.finite) variant |= kUnder;
    if (picture.style.overlay == Overlay::clipped && !owners) variant |= kClipped;
    if (signs) variant |= kSigns;
    if (canvas.finite && !owners) variant |= kFinite;
    const Texture& palette =
        owners ? renderer.owners : renderer.ramps[static_cast<size_t>(ramp_of(picture.style))];
    return {
        &renderer,
        variant,
        palette.id,
        transfer.scale,
        transfer.bias,
        picture.style.neutral,
        log_scale_of(picture.style),
        cell,
        ImGui::ColorConvertU32ToFloat4(colour::kBar),
        picture.opacity};
}

}  // namespace

Texture& Texture::operator=(Texture&& other) noexcept {
    std::swap(id, other.id);
    return *this;
}
Texture::~Texture() {
    if (id != 0) glDeleteTextures(1, &id);
}

HeatRenderer::~HeatRenderer() {
    for (const HeatProgram& program : programs) {
        if (program.id != 0) glDeleteProgram(program.id);
    }
}

Ramp ramp_of(const HeatStyle& style) {
    const bool light = is_light();
    if (style.map == HeatMap::values && style.overlay != Overlay::signs)
        return static_cast<Ramp>(std::clamp(style.colours, 0, kValueRamps - 1));
    const bool second = style.map == HeatMap::errors && style.colours == 1;
    if (second) return light ? Ramp::purple_green_light : Ramp::purple_green;
    return light ? Ramp::blue_orange_light : Ramp::blue_orange;
}

float palette_position(const HeatStyle& style, float value) {
    if (style.overlay == Overlay::signs) return value > 0 ? 1.0F : value < 0 ? 0.0F : 0.5F;
    const Transfer transfer = transfer_of(style);
    const float mapped = style.log ? symlog(value, log_scale_of(style)) : value;
    const float position = mapped * transfer.scale + transfer.bias;
    // An infinite range, as a logarithm may make it, gives no place: the middle.
    return std::isnan(position) ? 0.5F : std::clamp(position, 0.0F, 1.0F);
}

size_t palette_index(const HeatStyle& style, float value) {
    return static_cast<size_t>(std::lround(palette_position(style, value) * (kPaletteSize - 1)));
}

void draw_heat(HeatRenderer& renderer, HeatCanvas& canvas, const HeatPicture& picture) {
    if (renderer.owners.id == 0) make_palettes(renderer);
    if (!update(canvas, picture)) return;
    const HeatView& view = picture.view;
    const BlockWindow& window = canvas.window;
    const Plane& values = *picture.layer.values;
    const ImVec2 far(picture.origin.x + picture.size.x, picture.origin.y + picture.size.y);
    const ImVec2 low(
        std::max(picture.origin.x, x_at_col(view, picture.origin, 0)),
        std::max(picture.origin.y, y_at_row(view, picture.origin, 0))
    );
    const ImVec2 high(
        std::min(far.x, x_at_col(view, picture.origin, values.cols)),
        std::min(far.y, y_at_row(view, picture.origin, values.rows))
    );
    const auto texel_at = [&](ImVec2 pixel) {
        return ImVec2(
            static_cast<float>(col_at_x(view, picture.origin, pixel.x) / window.block_cols - window.col),
            static_cast<float>(row_at_y(view, picture.origin, pixel.y) / window.block_rows - window.row)
        );
    };
    const Binding binding = binding_for(renderer, picture, canvas);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddCallback(bind, const_cast<Binding*>(&binding), sizeof binding);
    list->AddImage(
        ImTextureRef(static_cast<ImTextureID>(canvas.texture.id)), low, high, texel_at(low), texel_at(high)
    );
    list->AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

}  // namespace wl::app
