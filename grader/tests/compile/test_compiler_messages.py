"""What the linker's complaints become."""

from grader.compile import compiler_messages


def test_functions_of_libraries_that_are_not_there() -> None:
    log = "".join(
        f"a.cpp: undefined reference to `{name}'\n"
        for name in ("cufftPlan2d", "glClearColor", "cuInit", "cufftless", "glue", "cudaOfMine")
    )
    assert compiler_messages.undefined(log) == [
        "cufftPlan2d is part of cuFFT, which the simulator does not have",
        "glClearColor is part of OpenGL, which the simulator does not have",
        "cuInit is part of the CUDA driver API, which the simulator does not have",
        "cufftless is used, but none of the files defines it",
        "glue is used, but none of the files defines it",
        "cudaOfMine is used, but none of the files defines it",
    ]
