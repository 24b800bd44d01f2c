"""Which pixel of the image is in an element of the tile?"""

from grader.ask.kinds import AskedPart, CannotTell, Draft, Random
from grader.ask.setting import runs
from grader.ask.tile import draw_element, read_back, source_pixel
from grader.ask.words import block, index

OF_IMAGES = True
REBUILDS = True


def ask(program: AskedPart, draw: Random) -> Draft:
    trace = program.trace
    element = draw_element(program, draw, inside=True)
    pixel = source_pixel(program, element)
    if pixel is None or len(trace.shape) != 2:
        raise CannotTell("the element is not loaded from the image")
    width, height = trace.size

    def words(number: int) -> str:
        return f"image[y={number // width}][x={number % width}]"

    x, y = pixel % width, pixel // width
    thread = trace.thread(element.access, element.lane)
    of_block = trace.launch(element.access).block
    radius = program.inputs(program.case()).radius
    own = [b * n + t for b, n, t in zip(element.access.block, of_block, thread, strict=True)]
    apron = "the apron is forgotten: the tile begins outside of the block's own pixels"
    others = [
        (x + radius, y + radius, apron),
        (y, x, "rows and columns are exchanged"),
        (x, min(y + 1, height - 1), "one row further"),
        (min(x + 1, width - 1), y, "one column further"),
        (thread[0], thread[1], "the block's place in the image is forgotten"),
        (own[0], own[1], "that is the pixel with the thread's own number in the image"),
    ]
    setting = runs(program, program.case(), trace.launch(element.access))
    return Draft(
        line=element.access.line,
        text=f"{setting}. After the barrier, which pixel of the image "
        f"is in {element.name()} of {block(program, element.access)}?",
        answer=words(pixel),
        second=lambda: words(read_back(program, element, {}) - 1),
        why=f"Thread {index(thread, of_block)} of that block loads {words(pixel)} and stores it "
        "there.",
        mistakes=[(words(v * width + u), why) for u, v, why in others if u < width and v < height],
    )
