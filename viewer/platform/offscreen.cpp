#include "viewer/platform/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>

#include "algorithms/error.h"
#include "viewer/platform/pixels.h"

namespace convlens::viewer {

struct Offscreen::Handles {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  GLuint framebuffer = 0, colour = 0;

  ~Handles() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    eglTerminate(display);
  }
};

namespace {

template <class Function>
Function extension(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

// A context for OpenGL 3.3 on that display, made current; EGL_NO_CONTEXT when it has none.
EGLContext context_on(EGLDisplay display) {
  if (!eglBindAPI(EGL_OPENGL_API)) return EGL_NO_CONTEXT;
  const std::array<EGLint, 5> wanted{EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  eglChooseConfig(display, wanted.data(), &config, 1, &count);
  const std::array<EGLint, 7> version{
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  const EGLContext context = eglCreateContext(display, count > 0 ? config : nullptr, EGL_NO_CONTEXT, version.data());
  if (context == EGL_NO_CONTEXT) return context;
  if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return context;
  eglDestroyContext(display, context);
  return EGL_NO_CONTEXT;
}

// The displays to try, GPUs first.
std::vector<EGLDisplay> displays() {
  const auto platform = extension<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  const auto query = extension<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  std::vector<EGLDisplay> all;
  if (platform == nullptr) return all;
  std::array<EGLDeviceEXT, 16> devices{};
  EGLint count = 0;
  if (query != nullptr && query(static_cast<EGLint>(devices.size()), devices.data(), &count))
    for (EGLint k = 0; k < count; ++k)
      all.push_back(platform(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<std::size_t>(k)], nullptr));
  all.push_back(platform(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  return all;
}

}  // namespace

Offscreen::Offscreen(int width, int height) : width_(width), height_(height), handles_(std::make_unique<Handles>()) {
  for (const EGLDisplay display : displays()) {
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) continue;
    if (const EGLContext context = context_on(display); context != EGL_NO_CONTEXT) {
      handles_->display = display;
      handles_->context = context;
      break;
    }
    eglTerminate(display);
  }
  if (handles_->context == EGL_NO_CONTEXT)
    throw Unsupported("EGL: no platform gives OpenGL 3.3 (install Mesa's libgl1-mesa-dri, or a GPU's driver)");
  renderer_ = reinterpret_cast<const char*>(glGetString(GL_RENDERER));

  glGenFramebuffers(1, &handles_->framebuffer);
  glGenRenderbuffers(1, &handles_->colour);
  glBindRenderbuffer(GL_RENDERBUFFER, handles_->colour);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, handles_->framebuffer);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, handles_->colour);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Unsupported("size: " + std::to_string(width) + "x" + std::to_string(height) +
                      ", must be a framebuffer that this OpenGL can make");
}

Offscreen::~Offscreen() = default;

std::vector<unsigned char> Offscreen::pixels() const { return read_pixels(0, 0, width_, height_, height_); }

}  // namespace convlens::viewer
