// What `convlens paper` refuses of a record: what its schema forbids, what it says twice and differently, and texts
// that would steer a terminal or break a page.
#include <fstream>
#include <sstream>

#include "tests/catch.h"
#include "tests/cli/paper_records.h"

using namespace convlens;
using namespace convlens::paper_records;
using Catch::Matchers::Contains;

namespace {

json some() { return json::parse(record("im2win.tc:paper", 140, 530)); }

// The line is refused in one line, which says so, and nothing is written.
void refused(const std::string& line, const std::string& says) {
  const TemporaryFolder folder;
  const std::string page = folder.path() + "/paper.html";
  const Records records(record("cudnn.best", 100, 1000) + line + "\n");
  const CommandResult result = records.paper("--html " + page);
  INFO(line << "\n" << result.err);
  CHECK(result.exit == 2);
  CHECK(result.out == "");
  CHECK(result.err_lines().size() == 1);
  CHECK_THAT(result.err, Contains(records.path() + ", record 2: " + says));
  for (const char c : result.err.substr(0, result.err.size() - 1)) CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(!std::ifstream(page));
}

void refused(const char* field, const json& value, const std::string& says) {
  json r = some();
  r[json::json_pointer(field)] = value;
  refused(r.dump(), says);
}

std::string html_of(const std::string& lines) {
  const TemporaryFolder folder;
  REQUIRE(Records(lines).paper("--html " + folder.path() + "/paper.html").exit == 0);
  std::ostringstream text;
  text << std::ifstream(folder.path() + "/paper.html").rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("paper refuses what the schema of records forbids") {
  refused("/unit", "zz", "unit: \"zz\", must be one of cpu | cc | tc");
  refused("/schema", 1.0, "schema: 1.0, must be 1");
  refused("/host", "", "host: \"\", must be a text that is not empty");
  refused("/host", nullptr, "host: null, must be a text");
  refused("/peak_source", "guess", "peak_source: \"guess\", must be one of ledger | device");
  refused("/registers", 1.5, "registers: 1.5, must be a whole number or null");
  refused("/registers", -1, "registers: -1, must be ≥ 0");
  refused("/clocks", json::object(), "clocks.timer: none given, must be there");
  refused("/clocks/boost", json::array(), "clocks.boost: [], must be a number or a text or null");
  refused("/driver", nullptr, "driver: null, must be a text where unit is not cpu");
  refused("/data/pattern", 3, "data.pattern: 3, must be a text");
  refused("/algorithm", "Im2win", "algorithm: \"Im2win\", must be like ^[a-z0-9_]+");
  refused("/algorithm", std::string(1 << 20, 'a') + ".tc", "algorithm: \"aaa");
  json r = some();
  r.erase("workspace_bytes");
  refused(r.dump(), "workspace_bytes: none given, must be there");
}

TEST_CASE("paper refuses keys of a record that the schema has not, and keys that are there twice") {
  refused("/gflops", 1, "gflops: 1, must be left out, the schema has no such key; did you mean \"tflops\"?");
  refused("/layout/z", "NCHW", "layout.z: \"NCHW\", must be left out, the schema has no such key");
  refused("/problem/bias", true, "problem.bias: true, must be left out, the schema has no such key");
  const std::string line = some().dump();
  refused("{\"unit\":\"tc\"," + line.substr(1), "unit: given twice, must be given once");
  const std::string layout = "\"layout\":{";
  std::string twice = line;
  twice.insert(twice.find(layout) + layout.size(), "\"x\":\"NCHW\",");
  refused(twice, "layout.x: given twice, must be given once");
}

TEST_CASE("paper refuses a record whose run is of another algorithm or other options, or whose unit is another") {
  refused("/run", "im2win.cc:bogus=1", "run: \"im2win.cc:bogus=1\", must be of algorithm, im2win.tc");
  for (const char* run : {"im2win.tc:bogus=1", "im2win.tc:", "im2win.tc:zigzag", "im2win.tc:zigzag=of"})
    refused("/run", run, "run: \"" + std::string(run) + "\", must be im2win.tc:id=value,… with the values of options");
  refused("/unit", "cc", "unit: \"cc\", must be tc, that of im2win.tc in f16");
}

TEST_CASE("paper says what the bytes of a record sum up to as a whole number") {
  refused("/peak_bytes", 531, "peak_bytes: 531, must be 530, the sum of bytes");
  refused("/bytes/im2win", 877838592, "peak_bytes: 530, must be 877838792, the sum of bytes");
  refused("/workspace_bytes", 1, "workspace_bytes: 1, must be 330, what bytes has besides x, w, bias and y");
}

TEST_CASE("paper refuses control characters in a record, wherever they are, and shows none") {
  for (const auto& [text, shown] : {std::pair<std::string, const char*>{"\x1b[31mred", "\\u001b[31mred"},
                                    {"a\nb", "a\\nb"},
                                    {"a\tb", "a\\tb"},
                                    {std::string("a\0b", 3), "a\\u0000b"},
                                    {"a\x7f", "a\\u007f"},
                                    {"a\xc2\x9b", "a\\u009b"},
                                    {"a\xe2\x80\xae", "a\\u202e"},
                                    {"a\xe2\x80\xa8", "a\\u2028"},
                                    {"a\xef\xbf\xbf", "a\\uffff"}}) {
    const std::string says = ": \"" + std::string(shown) + "\", must be without control characters";
    for (const char* field : {"layer", "gpu", "driver", "revision", "run", "dtype"})
      refused((std::string("/") + field).c_str(), text, field + says);
    refused("/libraries/cuDNN", text, "libraries.cuDNN" + says);
    refused("/options/zigzag", text, "options.zigzag" + says);
    refused("/engine_notes/1", text, "engine_notes[1]" + says);
    json r = some();
    r["bytes"][text] = 0;
    refused(r.dump(), "a key of bytes" + says);
  }
  refused("/engine_notes/1", "the device's free memory fell by 1\n2 bytes",
          "engine_notes[1]: \"the device's free memory fell by 1\\n2 bytes\", must be without control characters");
}

TEST_CASE("paper's page shows the name of a layer as it is, whatever letters it has") {
  json r = some();
  r["layer"] = "Größe <b>&\"7\"";
  const std::string html = html_of(r.dump() + "\n");
  CHECK_THAT(html, Contains("Größe &lt;b&gt;&amp;&quot;7&quot;</text>") && !Contains("<b>"));
}

TEST_CASE("PyTorch's records are records, which take no part in paper, and one is one") {
  json r = json::parse(record("cudnn.best", 100, 1000));
  r["algorithm"] = r["run"] = "pytorch.conv2d";
  r["options"] = json::object();
  const Records alone(r.dump() + "\n"), both(r.dump() + "\n" + record("cudnn.best", 100, 1000));
  CHECK(both.paper().err ==
        "1 record of " + both.path() + " is of a run that does not take part: 1 of pytorch.conv2d, f16 NHWC\n");
  CHECK(alone.paper().exit == 2);
  CHECK_THAT(alone.paper().err, Contains("its one record is of no run that takes part: 1 of pytorch.conv2d, f16 NHWC"));
}

TEST_CASE("paper counts one sample as one") {
  json r = some();
  r["samples_ms"] = {r["median_ms"]};
  r["min_ms"] = r["median_ms"];
  CHECK_THAT(Records(r.dump() + "\n").paper().out, Contains("at least 1 sample of each run"));
}
