#!/usr/bin/env bash
# Draws the viewer's panels as pictures, without a display: what is in this folder, or some of it into another.
#
#   make.sh                        every panel, dark and light, at 100 and 200 %, beside this script
#   make.sh FOLDER THEME SCALE     one theme (dark, light) and one scale (1, 2) into FOLDER
#   make.sh live                   what is measured here and now, by one thread: no two of these are the same
#   make.sh gpu [FOLDER]           the same on this machine's GPU, without a display: those that ship are of one H200,
#                                  drawn by its own OpenGL. A bundle (`cmake --preset gpu-bench -DCONVLENS_VIEWER=ON`)
#                                  brings the viewer there; LD_LIBRARY_PATH must name its lib/ where no libGL is.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
convlens="${CONVLENS:-$here/../../build/convlens}"
folder="${1:-$here}"

draw() { # NAME, then what to show; every theme and scale that is wanted
  local name="$1" theme scale
  shift
  for theme in "${themes[@]}"; do
    for scale in "${scales[@]}"; do
      "$convlens" view "$@" --size 1600x1000 --theme "$theme" --scale "$scale" \
        --screenshot "$folder/$name-$theme-${scale}x.png"
    done
  done
}

# Measured for SECONDS; NAME and what to show as above.
measure() {
  local seconds="$1"
  shift
  draw "$@" --panel performance --worker "'$convlens' worker --threads 1" --measure "$seconds"
}

themes=(dark light) scales=(1 2)
if [ "${1:-}" = live ]; then
  folder="$here" themes=(dark) scales=(1)
  measure 12 live --layer cv9 --layout NHWC --live im2win.cpu:simd=off --live im2win.cpu:register_tile=off --live im2win.cpu
  themes=(light)
  measure 60 sweep --layer cv9 --layout NHWC --live im2win.cpu --chart sweep --sweep c_i
  exit
fi
# The Kernel panel with a line of im2win_cc.cu edited by sed: NAME and the expression; checked and timed.
edited() {
  sed "$2" "${CONVLENS_KERNELS:-$here/../../kernels}/im2win/im2win_cc.cu" | python3 -c '
import json, sys
texts = {"im2win/im2win_cc.cu": sys.stdin.read()}
print(json.dumps({"convlens_state": 1, "kernel": {"run": "im2win.cc", "texts": texts}}))' >"$folder/kernel.json"
  draw "$1" "${cv9[@]}" --state "$folder/kernel.json" --panel kernel --measure 1
  rm "$folder/kernel.json"
}

if [ "${1:-}" = gpu ]; then
  folder="${2:-$here}" themes=(dark) scales=(1)
  cv9=(--layer cv9 --batch 256 --layout NHWC)
  draw gpu-live "${cv9[@]}" --panel performance --measure 12 \
    --live im2win.cc:double_buffer=off --live im2win.cc:vector_io=off --live im2win.cc
  themes=(light)
  draw gpu-live-tc "${cv9[@]}" --dtype f16 --panel performance --measure 6 \
    --live im2win.tc:vector_io=off --live im2win.tc:double_buffer=off --live im2win.tc
  edited gpu-kernel-right 's/columns \* s.groups, false)/columns * s.groups, true)/'
  edited gpu-kernel-wrong 's/stage_channels \* s.hf;/stage_channels * s.hf - 1;/'
  edited gpu-kernel-broken 's/c += stage_channels;/c += stage_channel;/'
  exit
fi
if [ $# -eq 3 ]; then themes=("$2") scales=("$3"); fi
mkdir -p "$folder"
draw grids --layer cv9 --algorithm im2win --arrangement grids --at 0,0,17,23
draw five --layer cv9 --arrangement five --at 0,0,17,23
draw spectra --layer cv9 --algorithm fft.ref --algorithm fft.cc --arrangement grids --at 0,0,17,23
draw groups "1x8x9x9 --filter 8x3x3 --pad 1 --groups 4" --algorithm im2col --algorithm im2win --arrangement grids --at 0,5,0,3
draw copies --layer cv9 --arrangement copies --at 0,0,17,23
draw addresses --layer cv9 --arrangement ribbon --at 0,0,17,23
draw schedule --layer cv9 --algorithm implicit_gemm.cc --arrangement schedule --block 40
draw happened --layer cv9 --batch 256 --layout NHWC --dtype f16 --algorithm im2win.tc --arrangement schedule \
  --order happened --at 100,0,30,0 --block 12
draw performance --layer cv9 --batch 256 --layout NHWC --panel performance --live im2win.cc --timed cold
draw roofline --layer cv9 --batch 4 --layout NHWC --panel performance --live im2win.cpu --chart roofline
draw memory --layer cv3 --batch 256 --panel memory
# A state file may hold the few fields that no option of the command sets.
echo '{"convlens_state": 1, "numerics": {"run": "winograd.ref:m=4", "injection": "nan"}}' >"$folder/numerics.json"
draw numerics "1x64x28x28 --filter 64x3x3 --pad 1" --state "$folder/numerics.json" --algorithm direct.ref \
  --algorithm im2win.ref --algorithm winograd.ref:m=4 --algorithm fft.ref --algorithm im2win.cc --panel numerics
rm "$folder/numerics.json"
draw kernel --layer cv9 --algorithm im2win.cc --panel kernel
draw tour --tour 3
