// The schedule as it happened: which trace is at hand, and multiprocessors over time.
#pragma once

#include <memory>

#include "viewer/logic/traces.h"
#include "viewer/panels/layouts/layouts.h"

namespace convlens::viewer {

using SharedBlocks = std::shared_ptr<const BlocksOfImage>;
using SharedTrace = std::shared_ptr<const gpu::Trace>;

// Blocks of an image by their order, dark to bright. Those after the present one, `now`, are darkened; in an order that
// happened those that were over when it began are dimmed.
std::uint32_t colour_of_block(const BlocksOfImage& blocks, std::int64_t now, std::int64_t number);

// ", on multiprocessor 57 from 1.2 to 9.8 us".
std::string span_text(const gpu::BlockSpan& span);

// The choice of the order, launched or happened. The trace of what happened, where that is chosen and there is one.
SharedTrace draw_order(Scene& scene, const Schedule& schedule);

// Every multiprocessor's places down, time across.
void draw_timeline(Scene& scene, const SharedTrace& trace, const SharedBlocks& blocks, std::int64_t now, ImVec2 size);

}  // namespace convlens::viewer
