#include "algorithms/problem/layers.h"

#include <algorithm>
#include <array>
#include <set>

#include "algorithms/error.h"
#include "tests/catch.h"

using namespace convlens;

namespace {

std::int64_t multiplications(const std::string& suite) {
  std::int64_t sum = 0;
  for (const NamedLayer& layer : find_suite(suite)) sum += layer.repeats * ConvProblem(layer.spec).multiplications();
  return sum;
}

std::int64_t convolutions(const std::string& suite) {
  std::int64_t sum = 0;
  for (const NamedLayer& layer : find_suite(suite)) sum += layer.repeats;
  return sum;
}

}  // namespace

TEST_CASE("every named layer is legal, is one image, and has a name of its own") {
  std::set<std::string> names;
  for (const NamedLayer& layer : named_layers()) {
    INFO(layer.name);
    CHECK(broken_rules(layer.spec).empty());
    CHECK(layer.spec.n == 1);
    CHECK(layer.repeats >= 1);
    CHECK(names.insert(layer.name).second);
    CHECK((layer.suite == "cv" || layer.name.starts_with(layer.suite + ".")));
    CHECK(find_layer(layer.name).spec == layer.spec);
  }
}

TEST_CASE("a suite lists each distinct convolution once") {
  for (const std::string suite : {"alexnet", "resnet50", "mobilenetv2", "yolov3-tiny", "unet", "convnext-t"}) {
    const std::vector<NamedLayer> layers = find_suite(suite);
    for (std::size_t a = 0; a < layers.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        INFO(layers[a].name << " and " << layers[b].name);
        CHECK(layers[a].spec != layers[b].spec);
      }
  }
}

TEST_CASE("cv1 to cv12 have the output sizes of Table I") {
  const std::array<std::array<std::int64_t, 3>, 12> table{{{96, 55, 55},
                                                           {96, 56, 56},
                                                           {64, 111, 111},
                                                           {64, 109, 109},
                                                           {256, 20, 20},
                                                           {512, 10, 10},
                                                           {64, 222, 222},
                                                           {128, 110, 110},
                                                           {64, 54, 54},
                                                           {128, 26, 26},
                                                           {256, 12, 12},
                                                           {512, 5, 5}}};
  REQUIRE(find_suite("cv").size() == table.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::string name = "cv" + std::to_string(k + 1);
    INFO(name);
    CHECK(ConvProblem(find_layer(name).spec).y_shape() == Shape{1, table[k][0], table[k][1], table[k][2]});
  }
}

TEST_CASE("each network has its number of convolutions, and they chain") {
  CHECK(layer_suites() == std::vector<std::string>{"alexnet", "convnext-t", "cv", "mobilenetv2", "resnet50", "unet",
                                                   "vgg16", "yolov3-tiny"});
  CHECK(convolutions("alexnet") == 5);
  CHECK(convolutions("vgg16") == 13);
  CHECK(convolutions("resnet50") == 53);
  CHECK(convolutions("mobilenetv2") == 52);
  CHECK(convolutions("yolov3-tiny") == 13);
  CHECK(convolutions("unet") == 19);
  CHECK(convolutions("convnext-t") == 4 + 3 * (3 + 3 + 9 + 3));

  // Every input's channels are made by some layer before it, or by two side by side, or are the picture's.
  for (const std::string& suite : layer_suites()) {
    if (suite == "cv") continue;
    std::set<std::int64_t> made{suite == "unet" ? 1 : 3};
    for (const NamedLayer& layer : find_suite(suite)) {
      INFO(layer.name);
      const std::int64_t ci = layer.spec.ci;
      const auto beside = [&](std::int64_t channels) { return made.contains(ci - channels); };
      CHECK((made.contains(ci) || std::ranges::any_of(made, beside)));
      made.insert(layer.spec.co);
    }
  }
}

TEST_CASE("the networks' multiplications are the published figures") {
  // torchvision's table of classification weights gives 10⁹ multiply-adds an image with the fully connected layers,
  // rounded to two digits after the point: 0.71, 15.47, 4.09, 0.30, 4.46. The authors of YOLOv3 give 5.56 · 10⁹
  // operations for the tiny network, two a multiply-add. The paper of U-Net gives no figure.
  struct Network {
    std::string suite;
    std::int64_t convolutions, fully_connected;
    double published;
  };
  const Network networks[] = {{"alexnet", 655566528, 9216 * 4096 + 4096 * 4096 + 4096 * 1000, 0.71},
                              {"vgg16", 15346630656, 25088 * 4096 + 4096 * 4096 + 4096 * 1000, 15.47},
                              {"resnet50", 4087136256, 2048 * 1000, 4.09},
                              {"mobilenetv2", 299494272, 1280 * 1000, 0.30},
                              {"convnext-t", 4454763264, 768 * 1000, 4.46},
                              {"yolov3-tiny", 2782480896, 0, 5.56 / 2}};
  for (const auto& [suite, convolutions, fully_connected, published] : networks) {
    INFO(suite);
    CHECK(multiplications(suite) == convolutions);
    CHECK(static_cast<double>(multiplications(suite) + fully_connected) / 1e9 == Approx(published).margin(0.005));
  }
}

TEST_CASE("U-Net has the picture sizes of its paper") {
  CHECK(ConvProblem(find_layer("unet.bottom_2").spec).y_shape() == Shape{1, 1024, 28, 28});
  CHECK(ConvProblem(find_layer("unet.classes").spec).y_shape() == Shape{1, 2, 388, 388});
  CHECK(multiplications("unet") == 144797047040);
}

TEST_CASE("a misspelt layer or suite gets the closest name") {
  CHECK_THROWS_WITH(find_layer("cv99"),
                    "layer: cv99, must be a layer of `convlens list layers`; did you mean \"cv9\"?");
  CHECK_THROWS_WITH(find_layer("vgg16.conv3-2"),
                    "layer: vgg16.conv3-2, must be a layer of `convlens list layers`; did you mean \"vgg16.conv3_2\"?");
  CHECK_THROWS_WITH(find_layer("xyzzy"), "layer: xyzzy, must be a layer of `convlens list layers`");
  CHECK_THROWS_WITH(
      find_suite("resnet5"),
      "suite: resnet5, must be one of alexnet | convnext-t | cv | mobilenetv2 | resnet50 | unet | vgg16 | yolov3-tiny; "
      "did you mean \"resnet50\"?");
  CHECK_THROWS_AS(find_suite(""), BadInput);
}
