"""The ten cells of the notebook: (kind, text) from top to bottom.

IPython runs a line that begins with `!` in a shell; `{name}` in it is a variable's value. To a
pipe, unlike to the terminal that the shell has there, the grader shows no progress.
"""

from pathlib import Path

STARTER = "starter/lab1_cpu_loop/cpu_loop.c"

TITLE = """\
# convlabs in a browser

Eight labs on image convolution, from a loop on the CPU to tuned CUDA, and a grader that says
*why* a result is wrong. This notebook needs no GPU and nothing on your computer: choose
**Run all**, then change the cell with your file, and run it and the cells below again.

The machine behind a hosted notebook is erased after a while. Keep your files: download them from
its panel of files, folder `convlabs/starter`.
"""

CLONE = """\
ADDRESS = "{address}"  # of the course, as https://github.com/OWNER/NAME

import os
from pathlib import Path

ADDRESS = os.environ.get("CONVLABS_ADDRESS", ADDRESS)
folders = [Path("convlabs").resolve(), Path.cwd(), *Path.cwd().parents]
course = next((folder for folder in folders if (folder / "grade").is_file()), None)
if course is None:
    if not ADDRESS:
        raise SystemExit("Write the address where you found this notebook into line 1.")
    !git clone --depth 1 "{{ADDRESS}}" convlabs
    course = folders[0]
    if not (course / "grade").is_file():
        raise SystemExit(f"There is no course at {{ADDRESS}}: correct line 1.")
os.chdir(course)
print("the course is in", course)
"""

SET_UP = "!./grade setup 2>&1 | cat"

LAB_1 = """\
## Lab 1: a correlation in plain C

Each pixel of the result is a sum of its neighbours, weighted by a mask. The next cell is your file,
with a `TODO` for each part; `handouts/lab1.md` explains the idea, `!./grade hint lab1 A` gives a
hint. Fill in the first `TODO` and run the cell, which writes the file. The cells below grade it,
show the report and ask about it.
"""

GRADE = "!./grade lab1 --color always --html build/report.html 2>&1 | cat"

REPORT = '''\
from html import escape

from IPython.display import HTML, display


def show(page, title, height):
    """Shows a page that the grader has written."""
    text = escape(Path(page).read_text("utf-8"))
    frame = f'<iframe srcdoc="{text}" title="{title}" width="100%" height="{height}"></iframe>'
    display(HTML(f"<div>{frame}</div>"))


show("build/report.html", "The report of lab 1", 600)
'''

STEP = '''\
# A kernel with a mistake: does each thread read what another has already written?
Path("build/reverse.cu").write_text("""
#include <cuda_runtime.h>

__global__ void reverse(int *d) {
    __shared__ int tile[64];
    tile[threadIdx.x] = d[threadIdx.x];
    d[threadIdx.x] = tile[63 - threadIdx.x];
}

int main(void) {
    int *d = NULL;
    cudaMalloc((void **)&d, 64 * sizeof(int));
    cudaMemset(d, 0, 64 * sizeof(int));
    reverse<<<1, 64>>>(d);
    cudaDeviceSynchronize();
    return cudaFree(d);
}
""")
!./grade run --step build/reverse.cu
show("build/step/reverse.html", "The kernel, step by step", 700)
'''

ASK = """\
ANSWER = "q"  # the letter of your answer; then run this cell again
!echo {ANSWER} | ./grade ask lab1 A --count 1 --seed notebook
"""

NEXT = """\
# Labs 2 and 3: CUDA, on a simulator. Their files are in starter/: open them in the panel of files.
!./grade lab2 --color always 2>&1 | cat
!./grade lab3 --color always 2>&1 | cat
"""


def cells(root: Path, address: str) -> list[tuple[str, str]]:
    """The cells of the course in the folder `root`, for readers who find it at `address`."""
    your_file = f"%%writefile {STARTER}\n" + (root / STARTER).read_text("utf-8")
    return [
        ("markdown", TITLE),
        ("code", CLONE.format(address=address)),
        ("code", SET_UP),
        ("markdown", LAB_1),
        ("code", your_file),
        ("code", GRADE),
        ("code", REPORT),
        ("code", STEP),
        ("code", ASK),
        ("code", NEXT),
    ]
