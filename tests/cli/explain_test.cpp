// `convlens explain`: the numbers of a plan, and single cells, against values worked out by hand.
#include <nlohmann/json.hpp>

#include "algorithms/measure/device.h"
#include "algorithms/problem/parse.h"
#include "tests/catch.h"
#include "tests/support/command.h"
#include "tests/support/rows.h"

using namespace convlens;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string explained(const std::string& call) {
  const CommandResult result = convlens_command(shell_words("explain " + call));
  INFO(call << "\n" << result.err);
  REQUIRE(result.exit == 0);
  REQUIRE(result.err == "");
  return result.out;
}

json explained_json(const std::string& call) { return json::parse(explained(call + " --json")); }

}  // namespace

TEST_CASE("explain fills the formulas in: cv9 by im2col") {
  const json plan = explained_json("--layer cv9 --algorithm im2col");
  CHECK(plan["problem"] == "1x64x56x56 --filter 64x3x3");
  CHECK(plan["y"] == json({1, 64, 54, 54}));
  CHECK(plan["flops"]["direct_equivalent"] == 2LL * 64 * 54 * 54 * 64 * 9);
  CHECK(plan["flops"]["executed"] == 214990848);
  CHECK(plan["stages"][0]["id"] == "im2col");
  CHECK(plan["stages"][0]["bytes"] == 54LL * 54 * 64 * 9 * 4);
  CHECK(plan["stages"][0]["formula"] == "N·H_o·W_o·C_i·H_f·W_f × 4 B");
  CHECK(plan["stages"][0]["numbers"] == "1·54·54·64·3·3 × 4 B");
  CHECK(plan["workspace_bytes"] == 54LL * 54 * 64 * 9 * 4 + 64LL * 64 * 9 * 4);
  const double tensors = 4.0 * (64 * 56 * 56 + 64 * 64 * 9 + 64 * 54 * 54),
               lowered = 4.0 * (54 * 54 * 64 * 9 + 64 * 64 * 9);
  CHECK(plan["flops_per_byte"]["tensors"].get<double>() == Approx(214990848 / tensors));
  CHECK(plan["flops_per_byte"]["with_workspace"].get<double>() == Approx(214990848 / (tensors + 2 * lowered)));
}

TEST_CASE("explain counts the passes of a matrix that is made in parts as traffic") {
  const json whole = explained_json("cv9 --batch 4 --algorithm im2col:batching=full");
  const json parts = explained_json("cv9 --batch 4 --algorithm im2col:batching=image");
  CHECK(parts["stages"][0]["passes"] == 4);
  CHECK(4 * parts["stages"][0]["bytes"].get<std::int64_t>() == whole["stages"][0]["bytes"].get<std::int64_t>());
  CHECK(parts["flops_per_byte"] == whole["flops_per_byte"]);
  for (const std::string run : {"im2col:batching=image", "im2col.cc:batching=chunk,chunk_images=2"})
    CHECK_THAT(explained("cv9 --batch 4 --algorithm " + run),
               Contains("workspace written once and read once, what is made in passes in each)"));
  CHECK_THAT(explained("cv9 --batch 4 --algorithm im2col:batching=full"),
             Contains("workspace written once and read once)"));
}

TEST_CASE("explain speaks of tiles where an FFT cuts any, and of images where it takes them whole") {
  for (const std::string run : {"fft.cc:transform=own", "fft.cc:transform=cufft", "fft.ref:transform=tiled", "fft.cpu"})
    CHECK_THAT(explained("cv9 --algorithm " + run), Contains("of tile (i, j) of input channel c"));
  for (const std::string run : {"fft.cc:transform=whole", "fft.ref:transform=whole"}) {
    INFO(run);
    const json plan = explained_json("cv9 --algorithm " + run);
    for (const json& stage : plan["stages"]) CHECK_THAT(stage["meaning"].get<std::string>(), !Contains("tile"));
    if (plan["program"].is_null()) continue;
    for (const json& step : plan["program"]) CHECK_THAT(step["sentence"].get<std::string>(), !Contains("tile"));
  }
  CHECK_THAT(explained("cv9 --algorithm fft.cc:transform=cufft"), Contains("cuts the input into tiles"));
  CHECK_THAT(explained("cv9 --algorithm fft.cc:transform=whole"),
             Contains("pads whole images to the length of the transform"));
}

TEST_CASE("explain tells the shares that meet padding, and that grouping leaves empty") {
  // 3×3 on 2×2 with one zero around: each of the four outputs reads 4 pixels and 5 zeros.
  CHECK(explained_json("'1x1x2x2 --filter 1x3x3 --pad 1' --algorithm direct")["padding_share"] == Approx(5.0 / 9));
  CHECK(explained_json("'1x8x6x6 --filter 8x3x3 --groups 4' --algorithm direct")["zero_block_share"] == 0.75);
  CHECK_THAT(explained("'1x8x6x6 --filter 8x3x3 --groups 4' --algorithm direct"),
             Contains("75.00 %") && Contains("1 − 1/4"));
}

TEST_CASE("A layer may be written out as one argument, as options, or as benchdnn writes it") {
  const json quoted = explained_json(
      "'2x4x9x8 --filter 6x3x2 --stride 2x1 --pad 0x1x2x3 --dilation 1x2 --groups 2 --bias' --algorithm direct");
  CHECK(explained_json(
            "2x4x9x8 --filter 6x3x2 --stride 2x1 --pad 0x1x2x3 --dilation 1x2 --groups 2 --bias --algorithm direct") ==
        quoted);
  CHECK(explained_json("mb2ic4ih9oc6kh3ph1 --algorithm direct")["problem"] ==
        to_text(parse_spec("mb2ic4ih9oc6kh3ph1")));
}

TEST_CASE("explain --at: a cell of im2col, worked out by hand") {
  // cell (n, p, q, c, u, v) = x(n, c, p + u, q + v); its row has 576 columns, its row of outputs 54.
  const json cell = explained_json("cv9 --algorithm im2col --at 0,3,17,5,1,2");
  CHECK(cell["kind"] == "element");
  CHECK(cell["lies"]["offset"] == (3 * 54 + 17) * 576 + 5 * 9 + 1 * 3 + 2);
  CHECK(cell["lies"]["byte"] == 4 * cell["lies"]["offset"].get<int>());
  CHECK(cell["sources"][0]["from"] == "x");
  CHECK(cell["sources"][0]["first"] == json({0, 5, 4, 19}));
  CHECK(cell["sources"][0]["offset"] == (5 * 56 + 4) * 56 + 19);
  CHECK(cell["outputs"] == json::parse(R"([{"first":[0,0,3,17],"extent":[1,64,1,1]}])"));
}

TEST_CASE("explain --at says when a cell is padding, and reads x in its declared layout") {
  const std::string layer = "'1x2x4x4 --filter 2x3x3 --pad 1' --algorithm im2col ";
  CHECK(explained_json(layer + "--at 0,0,0,0,0,0")["kind"] == "zero_padding");
  CHECK_THAT(explained(layer + "--at 0,0,0,0,0,0"), Contains("a zero of the layer's padding"));
  const json nhwc = explained_json(layer + "--layout NHWC --at 0,1,2,1,0,0");
  CHECK(nhwc["sources"][0]["first"] == json({0, 1, 0, 1}));
  CHECK(nhwc["sources"][0]["offset"] == (0 * 4 + 1) * 2 + 1);
}

TEST_CASE("explain --at says which real numbers make a complex one of fft.tc, and with which signs") {
  const std::string call = "'1x2x8x8 --filter 3x3x3 --pad 1' --dtype f16 --algorithm fft.tc:tile=8,multiplications=";
  // Planes of 2 channels and 4 tiles: bin 1, channel 1, tile 3.
  const json x = explained_json(call + "4 --stage input_spectra --at 0,1,0,1,1,1")["lies"];
  CHECK(x["re"][0]["offset"] == 1 * 16 + 4 + 3);
  CHECK(x["im"][0]["offset"] == 1 * 16 + 8 + 4 + 3);
  CHECK(x["im"][0]["byte"] == 2 * x["im"][0]["offset"].get<int>());
  // p, q and r of 34 bins, 3 output channels and 4 tiles: Re = p − r, Im = p − q.
  const std::string y = call + "3 --stage product_spectra --at 0,2,1,0,5,";
  const json lies = explained_json(y + "0")["lies"];
  const int p = 5 * 12 + 2 * 4 + 2, plane = 34 * 12;
  CHECK(lies["re"] == explained_json(y + "2")["lies"]["re"]);
  CHECK(lies["re"][0]["offset"] == p);
  CHECK(lies["re"][1]["offset"] == p + 2 * plane);
  CHECK(lies["re"][1]["factor"] == -1);
  CHECK(lies["im"][1]["offset"] == p + plane);
  CHECK_THAT(explained(y + "1"), Contains("Re = element 70, byte 280 − element 886, byte 3 544"));
}

TEST_CASE("explain --stage input --at works for every algorithm and names the same outputs") {
  for (const Algorithm* row : testing::rows_here()) {
    if (testing::vendor_on_cpu(*row)) continue;  // whose library may lack the layer, and whose stage is opaque
    INFO(row->id);
    const json cell =
        explained_json("'1x4x9x9 --filter 6x3x3 --pad 1' --stage input --at 0,1,4,0 --algorithm " + row->id);
    CHECK(cell["lies"]["offset"] == (1 * 9 + 4) * 9);
    CHECK(cell["outputs"].size() == 3 * 2);  // three rows of windows; at the left edge two columns
  }
}

TEST_CASE("explain tells of every algorithm its stages, workspace and error model") {
  for (const Algorithm* row : algorithms()) {
    if (row->unit == Unit::tc || testing::vendor_on_cpu(*row)) continue;  // which take no f32, or may lack the layer
    INFO(row->id);
    const json plan = explained_json("'1x4x9x9 --filter 6x3x3 --pad 1' --algorithm " + row->id);
    CHECK(plan["run"] == row->id);
    std::int64_t bytes = 0;
    for (const json& buffer : plan["workspace"])
      bytes += buffer["bytes"].is_null() ? 0 : buffer["bytes"].get<std::int64_t>();
    // A library that cannot be asked tells neither.
    CHECK((plan["workspace_bytes"] == bytes || (plan["workspace_bytes"].is_null() && bytes == 0)));
    for (const char* promise : {"exact", "worst", "likely", "nonfinite"})
      CHECK_FALSE(plan["error_model"][promise].get<std::string>().empty());
    const std::string text = explained("'1x4x9x9 --filter 6x3x3 --pad 1' --algorithm " + row->id);
    for (const json& stage : plan["stages"])
      CHECK_THAT(text, Contains("Stage " + stage["id"].get<std::string>() + ": "));
  }
}

TEST_CASE("explain tells of a row on a GPU, anywhere, what a call launches") {
  const json plan = explained_json("cv9 --batch 256 --algorithm direct.cc --layout NHWC");
  REQUIRE(plan["program"].size() >= 1);
  const json& last = plan["program"].back();
  CHECK(last["step"] == "launch");
  CHECK(last["file"].get<std::string>().ends_with(".cu"));
  CHECK(last["constants"]["x_layout"] == "NHWC");
  CHECK(last["sizes"] == "constant");
  CHECK(last["grid"].size() == 3);
  CHECK(last["arguments"].size() >= 4);
  const std::string text = explained("cv9 --batch 256 --algorithm direct.cc:sizes=runtime --layout NHWC");
  CHECK_THAT(text, Contains("On the GPU, a call is\n  1. ") && Contains(last["entry"].get<std::string>()) &&
                       Contains("x_layout = NHWC") && Contains("handed over when it is launched"));
  CHECK(explained_json("cv9 --algorithm direct.ref")["program"].is_null());
}

TEST_CASE("explain calls the workspace of cuDNN unknown where there is no GPU to ask it on") {
  if (!why_no_device().empty()) {
    for (const char* row : {"cudnn.best", "cudnn.gemm"}) {
      const std::string text = convlens_command({"explain", "cv9", "--algorithm", row}).out;
      INFO(text);
      CHECK(text.find("Workspace: unknown without cuDNN") != std::string::npos);
      CHECK(text.find(" 0 B") == std::string::npos);
      CHECK(text.find("With the tensors: at least ") != std::string::npos);
      const auto json = nlohmann::json::parse(convlens_command({"explain", "cv9", "--algorithm", row, "--json"}).out);
      CHECK(json.dump().find("\"bytes\":0,") == std::string::npos);
      CHECK(json.dump().find("\"workspace_bytes\":null") != std::string::npos);
    }
  }
  // Where nothing is computed nothing is asked, and 0 bytes are what is needed.
  CHECK(convlens_command({"explain", "0x2x5x5 --filter 2x3x3", "--algorithm", "cudnn.best"}).out.find("unknown") ==
        std::string::npos);
}

TEST_CASE("explain takes an empty batch") {
  const json plan = explained_json("'0x3x5x7 --filter 4x3x3 --pad 1' --algorithm im2col");
  CHECK(plan["y"] == json({0, 4, 5, 7}));
  CHECK(plan["flops"]["direct_equivalent"] == 0);
  CHECK(plan["padding_share"].is_null());
}

TEST_CASE("a row on tensor cores is explained in f16 where no type is named") {
  CHECK_THAT(explained("cv12 --algorithm im2win.tc"), Contains("--filter 512x3x3, f16,"));
  CHECK_THAT(explained("cv12 --algorithm im2win.tc --dtype bf16"), Contains("--filter 512x3x3, bf16,"));
  CHECK(convlens_command(shell_words("explain cv12 --algorithm im2win.tc --dtype f32")).exit == 3);
}

TEST_CASE("explain --matrices prints Winograd's matrices, and says no to others") {
  CHECK_THAT(explained("cv9 --algorithm winograd --matrices"), Contains("1/2") && Contains("Bᵀ"));
  for (const std::string run : {"winograd.cpu", "winograd.cc", "winograd.cc:fuse=on", "winograd.cc:points=0,1,-1",
                                "winograd.cc:m=4", "winograd.tc --dtype f16"}) {
    INFO(run);
    CHECK_THAT(explained("cv9 --algorithm " + run + " --matrices"), Contains("Bᵀ"));
  }
  const CommandResult other = convlens_command(shell_words("explain cv9 --algorithm direct --matrices"));
  CHECK(other.exit == 2);
  CHECK(other.err_lines().size() == 1);
}

TEST_CASE("A grouped layer counts its FLOPs by groups") {
  const json plan = explained_json("'1x32x28x28 --filter 64x3x3 --pad 1 --groups 32' --algorithm direct");
  CHECK(plan["flops"]["direct_equivalent"] == 903168);
  CHECK(explained_json("'2x3x7x9 --filter 2x3x3' --algorithm direct")["flops"]["direct_equivalent"] == 7560);
}

TEST_CASE("explain prints steps that repeat once, with how often, and the last shorter one by itself") {
  const std::string call = "'7x64x56x56 --filter 64x3x3 --pad 1' --dtype f16 --layout NHWC --algorithm fft.tc:chunk=";
  const std::string three = explained(call + "3");
  CHECK_THAT(three, Contains("  Steps 3 to 10 are these 4 × 2, further on each time:\n  3. ") && Contains("\n  11. ") &&
                        Contains("\n  14. ") && !Contains("\n  7. ") && !Contains("\n  15. "));
  const std::string one = explained(call + "1"), all = explained(call + "0");
  CHECK_THAT(one, Contains("  Steps 3 to 30 are these 4 × 7, ") && !Contains("\n  7. "));
  CHECK_THAT(all, !Contains("Steps "));
  CHECK(explained_json(call + "1")["program"].size() == 30);
  CHECK_THAT(explained("'7x8x9x9 --filter 8x3x3' --algorithm im2col.cc:batching=image"),
             Contains("  Steps 2 to 15 are these 2 × 7, further on each time:\n  2. ") && !Contains("\n  4. "));
}
