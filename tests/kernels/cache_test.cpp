// The disk cache: what it keeps, and what it does with damage, with other writers and when it is full.
#include "kernels/cache.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <set>

#include "tests/catch.h"
#include "tests/support/command.h"

using namespace convlens;
using namespace convlens::gpu;
namespace fs = std::filesystem;

namespace {

Recipe some_recipe(const std::string& text = "extern \"C\" __global__ void f() {}\n") {
  return {.text = text, .options = {"--gpu-architecture=sm_90a", "-lineinfo"}, .compiler = "NVRTC 13.0"};
}

Compiled some_code(std::size_t bytes = 100, int value = 7) {
  Compiled compiled;
  compiled.cubin.assign(bytes, static_cast<std::byte>(value));
  compiled.ptx = ".version 9.0";
  compiled.log = "ptxas info : Used 10 registers\n";
  return compiled;
}

std::set<std::string> files(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("what was stored is loaded again, with the exact text beside it") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path() + "/not/yet/there");
  CHECK_FALSE(cache.load(some_recipe()));
  REQUIRE(cache.store(some_recipe(), some_code()) == "");
  const auto loaded = cache.load(some_recipe());
  REQUIRE(loaded);
  CHECK(loaded->cubin == some_code().cubin);
  CHECK(loaded->ptx == some_code().ptx);
  CHECK(loaded->log == some_code().log);
  const fs::path entry = cache.folder() / some_recipe().key();
  CHECK(files(entry) == std::set<std::string>{"facts.json", "kernel.cu", "kernel.cubin", "kernel.ptx"});
  CHECK(text_of(entry / "kernel.cu") == some_recipe().text);
  CHECK(files(cache.folder()) == std::set<std::string>{some_recipe().key()});
}

TEST_CASE("another text, option or compiler is another entry") {
  std::set<std::string> keys{some_recipe().key(), some_recipe("other text").key()};
  Recipe other = some_recipe();
  other.options[0] = "--gpu-architecture=sm_80";
  keys.insert(other.key());
  other = some_recipe();
  other.compiler = "NVRTC 13.1";
  keys.insert(other.key());
  // What moves from one part to the next does not go unseen.
  other = some_recipe();
  other.options[1] += "\n" + other.text;
  other.text = "";
  keys.insert(other.key());
  CHECK(keys.size() == 5);
}

TEST_CASE("a damaged entry is removed and counts as missing") {
  const std::string what = GENERATE("kernel.cubin", "kernel.ptx", "kernel.cu", "facts.json");
  const std::string how = GENERATE("flipped", "cut", "empty", "gone");
  INFO(what << " " << how);
  const TemporaryFolder folder;
  const DiskCache cache(folder.path());
  REQUIRE(cache.store(some_recipe(), some_code()) == "");
  const fs::path file = fs::path(folder.path()) / some_recipe().key() / what;
  std::string bytes = text_of(file);
  if (how == "flipped") bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  if (how == "cut") bytes.resize(bytes.size() - 5);
  if (how == "empty") bytes.clear();
  std::ofstream(file, std::ios::binary) << bytes;
  if (how == "gone") fs::remove(file);

  // A byte of the log alone harms nothing; all else is noticed.
  const bool harmless = what == "facts.json" && how == "flipped" && cache.load(some_recipe());
  if (harmless) return;
  CHECK_FALSE(cache.load(some_recipe()));
  CHECK(files(folder.path()).empty());
  CHECK(cache.store(some_recipe(), some_code()) == "");
  CHECK(cache.load(some_recipe()));
}

TEST_CASE("many writers and readers of one folder meet whole entries or none") {
  const TemporaryFolder folder;
  const auto work = [&](int worker) {
    const DiskCache cache(folder.path(), 60'000);  // so small that entries are removed all the time
    int wrong = 0;
    for (int k = 0; k < 60; ++k) {
      const int which = (k * 7 + worker) % 9;
      const Recipe recipe = some_recipe("text " + std::to_string(which));
      const Compiled code = some_code(10'000, which);
      if (const auto loaded = cache.load(recipe)) wrong += loaded->cubin != code.cubin;
      if (k % 2 == 0) wrong += !cache.store(recipe, code).empty();
    }
    return wrong;
  };
  std::vector<std::future<int>> workers;
  for (int worker = 0; worker < 8; ++worker) workers.push_back(std::async(std::launch::async, work, worker));
  for (auto& worker : workers) CHECK(worker.get() == 0);
  for (const std::string& name : files(folder.path())) CHECK(name.front() != '.');
}

TEST_CASE("beyond its bound the cache forgets what was used longest ago") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path(), 50'000);
  const auto recipe = [](int k) { return some_recipe("text " + std::to_string(k)); };
  for (int k = 0; k < 4; ++k) {
    REQUIRE(cache.store(recipe(k), some_code(10'000)) == "");
    fs::last_write_time(fs::path(folder.path()) / recipe(k).key(),
                        fs::file_time_type::clock::now() - std::chrono::minutes(10 - k));
  }
  REQUIRE(cache.load(recipe(0)));  // the oldest, but used now
  REQUIRE(cache.store(recipe(4), some_code(10'000)) == "");
  CHECK(cache.bytes() <= 50'000);
  CHECK(cache.load(recipe(0)));
  CHECK_FALSE(cache.load(recipe(1)));
  CHECK(cache.load(recipe(3)));
  CHECK(cache.load(recipe(4)));
}

TEST_CASE("what the cache has not written it neither counts nor removes, however old and large") {
  const TemporaryFolder folder, elsewhere;
  const fs::path kernels = folder.path();
  const std::string key(32, 'a');  // as an entry is named
  const auto put = [](const fs::path& path, std::size_t bytes = 10) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
  };
  put(kernels / ".clang-format");
  put(kernels / "note.txt", 100'000);
  put(kernels / ".hidden" / "kernel.cu");
  put(kernels / ".123-4" / "note.txt");
  put(kernels / ".convlens-123-4" / "note.txt");
  put(kernels / ".convlens-x-4" / "kernel.cu");
  put(kernels / ".convlens-123-5");
  put(kernels / "direct" / "kernel.cubin", 100'000);
  put(kernels / key / "kernel.cu", 100'000);
  put(kernels / key / "note.txt");
  put(kernels / std::string(32, 'b'), 100'000);
  put(kernels / std::string(32, 'c') / "kernel.cu" / "note.txt");
  put(kernels / std::string(32, 'A') / "kernel.cu");
  put(kernels / (key + "a") / "kernel.cu");
  fs::create_directory(kernels / std::string(32, 'd'));
  put(fs::path(elsewhere.path()) / "kernel.cu", 100'000);
  fs::create_directory_symlink(elsewhere.path(), kernels / std::string(32, 'e'));
  fs::create_directory_symlink(elsewhere.path(), kernels / ".convlens-123-6");
  fs::create_directory(kernels / std::string(32, 'f'));
  fs::create_symlink(elsewhere.path() + "/kernel.cu", kernels / std::string(32, 'f') / "kernel.cu");
  const auto everything = [&] {
    std::set<std::string> paths;
    for (const fs::path top : {folder.path(), elsewhere.path()})
      for (const auto& entry : fs::recursive_directory_iterator(top)) paths.insert(entry.path());
    return paths;
  };
  const std::set<std::string> before = everything();
  for (const std::string& path : before)
    if (!fs::is_symlink(path)) fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(2));

  const DiskCache cache(folder.path(), 0);  // nothing of its own may stay
  CHECK(cache.bytes() == 0);
  CHECK(cache.store(some_recipe(), some_code()) == "");
  CHECK(everything() == before);
  const DiskCache roomy(folder.path(), 50'000);
  CHECK(roomy.store(some_recipe(), some_code()) == "");
  CHECK(roomy.load(some_recipe()));
  CHECK(roomy.bytes() < 1000);
}

TEST_CASE("what a writer that died has left behind goes after an hour") {
  const TemporaryFolder folder;
  const fs::path kernels = folder.path();
  for (const char* name : {".convlens-123-4", ".convlens-123-5"}) {
    fs::create_directory(kernels / name);
    std::ofstream(kernels / name / "kernel.cu") << "half a";
  }
  fs::last_write_time(kernels / ".convlens-123-4", fs::file_time_type::clock::now() - std::chrono::hours(2));
  CHECK(DiskCache(folder.path()).store(some_recipe(), some_code()) == "");
  CHECK(files(folder.path()) == std::set<std::string>{".convlens-123-5", some_recipe().key()});
}

TEST_CASE("an entry into which someone has put a file of theirs is left as it is, and the reason told") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path());
  REQUIRE(cache.store(some_recipe(), some_code()) == "");
  const fs::path entry = fs::path(folder.path()) / some_recipe().key();
  std::ofstream(entry / "note.txt") << "mine";
  std::ofstream(entry / "kernel.ptx") << "damaged";
  CHECK_FALSE(cache.load(some_recipe()));
  CHECK(cache.store(some_recipe(), some_code()) ==
        entry.string() + ": holds what no entry of the cache does, and is left as it is");
  CHECK(text_of(entry / "note.txt") == "mine");
  CHECK(files(folder.path()) == std::set<std::string>{some_recipe().key()});
}

TEST_CASE("an entry's file that is a pipe is not read, and no one waits for it") {
  const TemporaryFolder folder;
  const DiskCache cache(folder.path());
  REQUIRE(cache.store(some_recipe(), some_code()) == "");
  const fs::path file = fs::path(folder.path()) / some_recipe().key() / "kernel.ptx";
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_FALSE(cache.load(some_recipe()));
}

TEST_CASE("a folder that cannot be made is a reason, not a failure") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/file") << "in the way";
  const DiskCache cache(folder.path() + "/file/kernels");
  CHECK_FALSE(cache.load(some_recipe()));
  CHECK_THAT(cache.store(some_recipe(), some_code()), Catch::Matchers::Contains("/file/kernels: "));
}

TEST_CASE("the cache is where CONVLENS_CACHE_DIR says, or where caches are kept") {
  const Variable home("HOME", "/home/ada"), xdg("XDG_CACHE_HOME", "/var/caches");
  {
    const Variable chosen("CONVLENS_CACHE_DIR", "/fast/disk");
    CHECK(cache_folder() == "/fast/disk/kernels");
  }
  const Variable chosen("CONVLENS_CACHE_DIR", nullptr);
  CHECK(cache_folder() == "/var/caches/convlens/kernels");
  const Variable no_xdg("XDG_CACHE_HOME", "");
  CHECK(cache_folder() == "/home/ada/.cache/convlens/kernels");
  const Variable no_home("HOME", nullptr);
  CHECK_FALSE(cache_folder());
}
