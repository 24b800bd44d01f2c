"""The headers of CUDA and of others that the simulator refuses, and what to do instead."""

from __future__ import annotations

import re
from pathlib import Path

from labs.sim.translate.reader.declared import INCLUDE
from labs.sim.translate.reader.expanded import Refusal

NEEDS = "needs a GPU machine and nvcc"
ELSEWHERE = "the simulator does not support it; it needs a GPU machine and nvcc"
# Headers of what is not there, the name of it, and what to do.
LIBRARIES = (
    (r"thrust/", "thrust", "write the loop as a kernel"),
    (r"cub/", "cub", "write the reduction, scan or sort as a kernel"),
    (r"cublas", "cuBLAS", "write the product of matrices as a kernel"),
    (r"cufft", "cuFFT", "write the transform as a kernel"),
    (r"curand", "cuRAND", "compute random numbers on the host, or in a __device__ function"),
    (r"cusparse", "cuSPARSE", "write what it computes as a kernel"),
    (r"cusolver", "cuSOLVER", "write what it computes as a kernel"),
    (r"cudnn", "cuDNN", "write what it computes as a kernel"),
    (r"npp", "NPP", "write what it computes as a kernel"),
    (r"cudss|cutensor|cutlass|cute/|nvjpeg|nccl|nvshmem|cufile|amgx",
     "this CUDA library", "write what it computes as a kernel"),
    (r"nvrtc|nvJitLink|nvPTXCompiler|nvfatbin|nvvm",
     "compilation at run time", "put the kernel into the program's own source"),
    (r"(?:crt/)?mma\.h", "mma.h, the matrix unit (tensor cores),",
     "multiply and add the numbers in a loop"),
    (r"cuda/(?:std/)?|nv/", "libcu++",
     "use <cuda/atomic>, atomicAdd(), __syncthreads() and plain types"),
    (r"cuda_pipeline|cuda_awbarrier", "the asynchronous copy to shared memory",
     "copy with ordinary assignments and __syncthreads()"),
    (r"cuda_fp[46]", "arithmetic in fewer than 8 bits",
     "compute with half or __nv_bfloat16"),
    (r"(?:cuda_(?:gl|egl|vdpau|d3d\w*)_interop|cuda[GEV]\w+|cuda(?:GL|EGL|VDPAU|D3D\w*))\.h"
     r"|GL/|GLES|EGL/|GLFW/|vulkan/|nvscibuf|nvscisync", "graphics",
     "copy the image to the host and write it to a file"),
    (r"cupti|nvml|nvperf|nvToolsExt|nvtx", "an NVIDIA tool", "leave it out, or use ./grade run "
     "--profile"),
    (r"cooperative_groups|cuda\w*\.h|cuComplex|device_\w+\.h|sm_\d+_\w+|math_functions|crt/"
     r"|(?:texture|surface|channel)_\w+\.h|host_defines|host_config|builtin_types", "", ""),
)  # fmt: skip
# Of libraries that are not CUDA's, and what to do where one is missing.
THIRD_PARTY = (
    (r"opencv", "OpenCV: install libopencv-dev, and give -I/usr/include/opencv4 and -lopencv_core, "
     "-lopencv_imgcodecs, ... to ./grade run"),
    (r"png(?:conf)?\.h", "libpng: install libpng-dev, and give -lpng to ./grade run"),
    (r"jpeglib\.h", "libjpeg: install libjpeg-dev, and give -ljpeg to ./grade run"),
    (r"(?:helper|exception|drvapi)_\w*\.h", "it comes with NVIDIA's cuda-samples: give -I and the "
     "name of their folder Common to ./grade run"),
    (r"cutil", "it was a part of CUDA's SDK up to CUDA 4: replace what is used of it"),
    (r"wb\.h", "libwb: give -I and the name of its folder to ./grade run, and its .cpp files"),
    (r"mpi\.h", "MPI: the simulator runs one process; leave it out"),
)  # fmt: skip
MISSING = re.compile(r"(?P<where>.*?:\d+:\d+): fatal error: (?P<name>.*?): No such file")


def advice(header: str) -> str | None:
    """Why a header is refused; None if it is not one of CUDA's."""
    for pattern, name, instead in LIBRARIES:
        if re.match(pattern, header):
            return f"{name} {NEEDS}; here, {instead}" if name else ELSEWHERE
    return None


def third_party(header: str) -> str | None:
    """What to do where the header of another library is missing."""
    why = next((why for pattern, why in THIRD_PARTY if re.match(pattern, header)), None)
    return f"not found; {why}" if why else None


def missing(message: str) -> str | None:
    """g++'s error about a header that is not there, as a refusal; None if it is another error."""
    found = MISSING.search(message)
    why = advice(found["name"]) or third_party(found["name"]) if found else None
    return f"{found['where']}: error: #include <{found['name']}>: {why}" if found and why else None


def refuse_headers(entered: list[tuple[str, str, int]]) -> None:
    """Refuses a header of an installed CUDA, which g++ cannot compile. entered: the headers that
    the program includes, with the including file and line."""
    for header, file, line in entered:
        path = Path(header)
        for folder in path.parents[:3]:
            name = str(path.relative_to(folder))
            why = advice(name) if (folder / "cuda_runtime_api.h").exists() else None
            if why and folder != INCLUDE and folder.resolve() != INCLUDE:
                raise Refusal(f"{file}:{line}:1: error: #include <{name}>: {why}")
