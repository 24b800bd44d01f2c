"""Structures are read and written as by the machine code of nvcc 13.0, in which the numbers here
are counted."""

import pytest

from labs.tests.sim.translate.one_warp import Counters, Kernel, counters

# The body of a kernel of one warp, after which it stores `a`; its loads of global memory.
FIELDS = {
    "x": ("float4", "float4 v = in[i]; float a = v.x;", 1),
    "xw": ("float4", "float4 v = in[i]; float a = v.x + v.w;", 2),
    "yz": ("float4", "float4 v = in[i]; float a = v.y + v.z;", 2),
    "xy": ("float4", "float4 v = in[i]; float a = v.x + v.y;", 1),
    "xzw": ("float4", "float4 v = in[i]; float a = v.x + v.z + v.w;", 1),
    "constant": ("float4", "const float4 v = in[i]; float a = v.x + v.w;", 2),
    "cached": ("float4", "float4 v = __ldcs(&in[i]); float a = v.x + v.w;", 2),
    "pointer": ("float4", "float4 v = *(in + i); float a = v.x + v.w;", 2),
    "changed": ("float4", "float4 v = in[i]; v.x += 1; float a = v.x + v.w;", 2),
    "two": ("float4", "float4 v = in[i], u = in[i + 32]; float a = v.x + u.w;", 2),
    "rounds": ("float4", "float a = 0; for (int k = 0; k < 4; k++) {"
                         " float4 v = in[i + 32 * k]; a += v.x * v.w; }", 8),
    "bytes": ("uchar4", "uchar4 v = in[i]; int a = v.y + v.w;", 1),
    "byte": ("uchar4", "uchar4 v = in[i]; int a = v.y;", 1),
    "three": ("float3", "float3 v = in[i]; float a = v.x + v.z;", 2),
    "double_y": ("double2", "double2 v = in[i]; double a = v.y;", 1),
    "all_passed_on": ("float4", "float4 v = in[i]; out[2 * i] = v.x; ((float4 *)out)[i + 64] = v;"
                                " float a = v.w;", 1),
    "redeclared": ("float4", "float4 v = in[i]; float a = v.x; { float4 v = in[i + 1];"
                             " a += v.y; }", 2),
    "below_a_test": ("float4", "float4 v = in[i]; float a = 0; if (n > 9) a = v.x + v.y;", 1),
    "used_below_a_test": ("float4", "float a = 0; float4 v = in[i]; if (n > 9) a = v.x + v.y;", 0),
    "used_before_it_too": ("float4", "float a = 0; float4 v = in[i]; if (n > 9) a = v.x; a += v.y;",
                           1),
    "test_of_memory": ("float4", "float a = 0; float4 v = in[i]; if (in[2].x > 9) a = v.x + v.y;",
                       2),
}  # fmt: skip
TYPES = """
struct pixel { unsigned char r, g, b, a; };
typedef struct { float re, im; } complex;
struct mixed { short a, b; float c; };
struct triple { float v[3]; };
struct four { float x, y, z, w; };
struct __align__(8) pair { float x, y; };
"""
# Copies of structures `in[i]` to `out[i]`: loads of global memory.
COPIES = {"pixel": 4, "complex": 2, "mixed": 2, "triple": 3, "four": 4, "pair": 1, "float3": 3,
          "float4": 1, "double2": 1}  # fmt: skip
# Those of a local structure, of which fields are used.
LOCAL = {
    "complex": ("complex", "complex a = in[i]; out[i] = a.re * a.im;", 2),
    "one": ("complex", "complex a = in[i]; out[i] = a.im;", 1),
    "three_of_four": ("four", "four a = in[i]; out[i] = a.x + a.y + a.w;", 3),
    "bytes": ("pixel", "pixel a = in[i]; out[i] = a.r + a.g + a.b;", 3),
    "an_array": ("triple", "triple a = in[i]; out[i] = a.v[0] + a.v[1] + a.v[2];", 3),
    "aligned": ("pair", "pair a = in[i]; out[i] = a.x + a.y;", 1),
}
# The body; its stores of shared memory.
CHOSEN = {
    "vector": ("__shared__ float4 s[64]; s[i] = i < n ? in[i] : make_float4(0, 0, 0, 0);"
               " __syncthreads(); out[i] = s[31 - i];", 1),
    "branches": ("__shared__ float4 s[64]; if (i < n) s[i] = in[i];"
                 " else s[i] = make_float4(0, 0, 0, 0); __syncthreads(); out[i] = s[31 - i];", 2),
}  # fmt: skip


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Counters:
    kernels = [
        Kernel(f"fields_{name}", kind, "float", body + " out[i] = a;")
        for name, (kind, body, _) in FIELDS.items()
    ]
    kernels += [
        Kernel(f"chosen_{name}", "float4", "float4", body) for name, (body, _) in CHOSEN.items()
    ]
    kernels += [Kernel(f"copy_{name}", name, name, "out[i] = in[i];") for name in COPIES]
    kernels += [
        Kernel(f"local_{name}", kind, "float", body) for name, (kind, body, _) in LOCAL.items()
    ]
    kernels.append(
        Kernel(
            "shared_complex", "complex", "float",
            "__shared__ complex s[64]; s[i] = in[i]; __syncthreads(); complex a = s[31 - i];"
            " out[i] = a.re * a.im;",
        )
    )  # fmt: skip
    return counters(kernels, TYPES, tmp_path_factory.mktemp("structures"))


@pytest.mark.parametrize("name", FIELDS)
def test_field_loads_count_merged_requests(name: str, counted: Counters) -> None:
    assert counted[f"fields_{name}"]["global_load_requests"] == FIELDS[name][2]


@pytest.mark.parametrize("name", CHOSEN)
def test_stores_of_a_choice(name: str, counted: Counters) -> None:
    assert counted[f"chosen_{name}"]["shared_store_requests"] == CHOSEN[name][1]


@pytest.mark.parametrize("name", COPIES)
def test_copies_in_pieces_of_the_alignment(name: str, counted: Counters) -> None:
    assert counted[f"copy_{name}"]["global_load_requests"] == COPIES[name]
    assert counted[f"copy_{name}"]["global_store_requests"] == COPIES[name]


@pytest.mark.parametrize("name", LOCAL)
def test_member_loads_count_merged_requests(name: str, counted: Counters) -> None:
    assert counted[f"local_{name}"]["global_load_requests"] == LOCAL[name][2]


def test_words_in_shared_memory_are_merged(counted: Counters) -> None:
    assert counted["shared_complex"]["shared_load_requests"] == 1
    assert counted["shared_complex"]["shared_store_requests"] == 1
    assert counted["shared_complex"]["global_load_requests"] == 2


# The three words at 12 bytes of a packed type, which may have any address.
PACKED = {
    "member": "const packed *p = in + i; out[i] = p->a + p->b + p->c;",
    "whole": "packed p = in[i]; out[i] = p.a + p.b + p.c;",
    "loose": "const loose *p = (const loose *)(in + i); out[i] = p[0] + p[1] + p[2];",
    "inner": "\n#pragma pack(push, 1)\n struct own { unsigned a, b, c; };\n#pragma pack(pop)\n"
    " const own *p = (const own *)in + i; out[i] = p->a + p->b + p->c;",
}
# What a compiler knows to be aligned stays whole, also next to packed types.
NOT_PACKED = {
    "words": ("const unsigned *p = (const unsigned *)(in + i); out[i] = p[0] + p[1] + p[2];", 3),
    "vector": ("uint4 v = ((const uint4 *)in)[i]; out[i] = v.x + v.y + v.z + v.w;", 1),
    "two": ("pair p = ((const pair *)in)[i]; out[i] = p.a + p.b;", 2),
}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Counters:
    types = (
        "struct __attribute__((packed)) packed { unsigned a, b, c; };"
        " typedef unsigned __attribute__((aligned(1))) loose; struct pair { unsigned a, b; };"
    )
    bodies = PACKED | {name: body for name, (body, _) in NOT_PACKED.items()}
    kernels = [Kernel(f"k_{n}", "packed", "unsigned", body) for n, body in bodies.items()]
    return counters(kernels, types, tmp_path_factory.mktemp("packed"))


@pytest.mark.parametrize("name", PACKED)
def test_packed_words_are_read_as_bytes(name: str, packed: Counters) -> None:
    assert packed[f"k_{name}"]["global_load_requests"] == 12


@pytest.mark.parametrize("name", NOT_PACKED)
def test_aligned_words_beside_packed_types(name: str, packed: Counters) -> None:
    assert packed[f"k_{name}"]["global_load_requests"] == NOT_PACKED[name][1]
