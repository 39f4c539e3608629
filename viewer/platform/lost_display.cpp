#include "viewer/platform/lost_display.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

namespace convlens::viewer {

namespace {

// int (*XSetIOErrorHandler(int (*)(Display*)))(Display*), of the library that GLFW has loaded, if any: a program that
// is linked to Xlib would not start without it.
using Handler = int (*)(void* display);
using SetHandler = Handler (*)(Handler);

std::function<int()> g_last_word;
Handler g_before = nullptr;

SetHandler set_handler() {
  void* const xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (xlib == nullptr) return nullptr;
  const auto found = reinterpret_cast<SetHandler>(::dlsym(xlib, "XSetIOErrorHandler"));
  ::dlclose(xlib);  // GLFW's own hold on it stays
  return found;
}

int on_io_error(void*) { std::_Exit(g_last_word()); }

}  // namespace

LostDisplay::LostDisplay(std::function<int()> last_word) {
  g_last_word = std::move(last_word);
  if (const SetHandler set = set_handler()) g_before = set(on_io_error);
}

LostDisplay::~LostDisplay() {
  if (const SetHandler set = set_handler()) set(g_before);
  g_last_word = nullptr;
}

}  // namespace convlens::viewer
