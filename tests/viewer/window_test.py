"""The viewer in a real window, under Xvfb, driven by xdotool as by a hand; what it does is read from the states it saves.

usage: window_test.py CONVLENS

Exit codes: 0 all well, 1 not, 77 Xvfb or xdotool is missing here, or the viewer is not built.
"""

import ctypes
import ctypes.util
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

CONVLENS = pathlib.Path(sys.argv[1]).resolve()
PATIENCE = 60  # seconds for anything to happen; machines may be busy
WIDTH, HEIGHT = 1280, 800
SIDEBAR = 300


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def wait_for(what, test):
    """What `test` returns once it is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if answer := test():
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{what}: nothing within {PATIENCE} s")


class Iconifier:
    """Does what a window manager would: says that a window is an icon, or no longer."""

    def __init__(self, display):
        self.x = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(display.encode()))
        self.x.XInternAtom.restype = ctypes.c_ulong

    def atom(self, name):
        return ctypes.c_ulong(self.x.XInternAtom(self.display, name, 0))

    def set(self, window, state):
        property_ = self.atom(b"WM_STATE")
        value = (ctypes.c_ulong * 2)(state, 0)
        self.x.XChangeProperty(self.display, ctypes.c_ulong(window), property_, property_, 32, 0, value, 2)
        self.x.XFlush(self.display)

    def ask_to_close(self, window):
        event = (ctypes.c_long * 24)()
        event[0] = 33  # ClientMessage
        event[4] = window
        event[5] = self.atom(b"WM_PROTOCOLS").value
        event[6] = 32
        event[7] = self.atom(b"WM_DELETE_WINDOW").value
        self.x.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), event)
        self.x.XFlush(self.display)


class Viewer:
    def __init__(self, folder, display):
        self.folder = pathlib.Path(folder)
        self.environment = {
            **os.environ,
            "DISPLAY": display,
            "WAYLAND_DISPLAY": "",
            "XDG_CONFIG_HOME": str(folder),
            "OMP_WAIT_POLICY": "passive",
        }
        self.saved = 0
        self.process = subprocess.Popen(
            [CONVLENS, "view", "--size", f"{WIDTH}x{HEIGHT}"], cwd=folder, env=self.environment, stderr=subprocess.PIPE
        )
        self.window = int(wait_for("a window", self.find_window))
        self.xdotool("windowfocus", self.window)
        wait_for("a first frame", lambda: self.state() is not None)

    def find_window(self):
        if self.process.poll() is not None:
            message = self.process.stderr.read().decode()
            if self.process.returncode == 3:
                skip(message.strip())
            raise AssertionError(f"ended with {self.process.returncode}: {message}")
        found = self.xdotool("search", "--name", "^Convlens$", check=False).split()
        return found[0] if found else None

    def xdotool(self, *words, check=True):
        result = subprocess.run(
            ["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True, check=check
        )
        return result.stdout

    def point(self, x, y):
        self.xdotool("mousemove", "--window", self.window, x, y)
        time.sleep(0.1)

    def press(self, down):
        self.xdotool("mousedown" if down else "mouseup", 1)
        time.sleep(0.15)

    def click(self, x, y):
        self.point(x, y)
        self.press(True)
        self.press(False)

    def drag(self, x, y, to_x):
        self.point(x, y)
        self.press(True)
        for step in range(1, 6):
            self.point(x + (to_x - x) * step // 5, y)
        self.press(False)

    def key(self, *keys):
        for key in keys:
            self.xdotool("key", "--delay", 80, key)
            time.sleep(0.1)

    def save(self, shortcut, name):
        """Answers the dialog that the keys open; the file, once it is there."""
        self.key(shortcut, "ctrl+a")
        self.xdotool("type", "--delay", 60, name)
        self.key("Return")
        return wait_for(f"{shortcut} {name}", lambda: next(iter(self.folder.glob(name)), None))

    def state(self):
        self.saved += 1
        name = f"s{self.saved}.json"
        text = self.save("ctrl+s", name).read_text()
        return json.loads(text)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def png_size(file):
    header = file.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n", f"{file} is no PNG"
    return struct.unpack(">II", header[16:24])


def check(condition, says):
    if not condition:
        raise AssertionError(says)
    print("well:", says)


def idle_cost(viewer, seconds=2):
    """CPU seconds while nothing happens. Frames still to be drawn come first, on a busy machine for a while."""
    for _ in range(10):
        before = viewer.cpu_seconds()
        time.sleep(seconds)
        cost = viewer.cpu_seconds() - before
        if cost <= 0.05:
            break
    return cost


def use(viewer, icons):
    first = viewer.state()
    check(first["panel"] == "layouts", "it starts with the Layouts panel")

    # Pointing, somewhere in the panel.
    for x, y in [(450, 300), (700, 300), (700, 450), (900, 350)]:
        viewer.point(x, y)
        viewer.point(x + 3, y + 2)
    pointed = viewer.state()
    check(pointed["cursor"] != first["cursor"], "pointing moves the cursor")
    check(pointed["problem"] == first["problem"], "pointing changes no layer")

    # Sliders stand below each other on the left.
    dragged = pointed
    for y in range(120, 400, 14):
        viewer.drag(30, y, 120)
        viewer.point(WIDTH // 2, 4)
        dragged = viewer.state()
        if dragged["problem"] != pointed["problem"]:
            break
    check(dragged["problem"] != pointed["problem"], "dragging a slider changes the layer")
    viewer.key("ctrl+z")
    check(viewer.state()["problem"] == pointed["problem"], "control and Z takes the whole drag back")
    viewer.key("ctrl+y")
    check(viewer.state()["problem"] == dragged["problem"], "control and Y brings it back")
    viewer.key("ctrl+z")

    # Radio buttons stand beside each other at the head of the panel.
    switched = viewer.state()
    for x in range(SIDEBAR + 30, WIDTH - 200, 45):
        viewer.click(x, 74)
        viewer.point(WIDTH // 2, 4)
        switched = viewer.state()
        if switched["arrangement"] != pointed["arrangement"]:
            break
    check(switched["arrangement"] != pointed["arrangement"], "a click switches the arrangement")

    before = png_size(viewer.save("ctrl+e", "before.png"))
    viewer.xdotool("windowsize", viewer.window, 1000, 640)
    time.sleep(1)
    after = png_size(viewer.save("ctrl+e", "after.png"))
    check(after[0] < before[0] and after[1] < before[1], f"resizing resizes the panel: {before} to {after}")
    check(idle_cost(viewer) <= 0.05, "while nothing happens it costs no CPU")

    icons.set(viewer.window, 3)
    time.sleep(0.5)
    viewer.point(500, 400)
    check(idle_cost(viewer) <= 0.05, "as an icon it costs no CPU")
    icons.set(viewer.window, 1)
    viewer.point(510, 410)
    check(viewer.state()["arrangement"] == switched["arrangement"], "an icon no longer, it goes on where it was")

    viewer.key("ctrl+plus")
    larger = viewer.state()
    check(larger["scale"] > 1, "control and plus enlarges")
    icons.ask_to_close(viewer.window)
    check(viewer.process.wait(PATIENCE) == 0, "it closes when it is asked to")
    kept = json.loads((viewer.folder / "convlens/state.json").read_text())
    check(kept["scale"] == larger["scale"] and kept["arrangement"] == larger["arrangement"], "the next session goes on")


def main():
    for tool in ["Xvfb", "xdotool"]:
        if shutil.which(tool) is None:
            skip(f"{tool} is missing here")
    if ctypes.util.find_library("X11") is None:
        skip("libX11 is missing here")
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        viewer = None
        try:
            number = os.fdopen(read).readline().strip()
            if not number:
                skip("Xvfb does not start here")
            viewer = Viewer(folder, f":{number}")
            use(viewer, Iconifier(f":{number}"))
        finally:
            if viewer is not None and viewer.process.poll() is None:
                viewer.process.send_signal(signal.SIGKILL)
            server.terminate()
            server.wait()


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        print(error)
        sys.exit(1)
