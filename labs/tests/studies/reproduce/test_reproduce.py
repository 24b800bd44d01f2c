"""`make reproduce`: published figures, how a measurement becomes a table, the report."""

import copy
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from grader import paths
from labs.studies.bench import machine
from labs.studies.bench.work import ZERO
from labs.studies.reproduce import experiments, measure, programs, published, tables
from labs.studies.reproduce.programs import Found, Limit

SCHEMA = json.loads((paths.ROOT / "grader/schema/convlabs-reproduce-v1.json").read_text())
SOURCES = published.load()

# A grade in the same process ends what it finds running below it, as multiprocessing's tracker.
pytestmark = pytest.mark.filterwarnings("ignore:resource_tracker")


def row(seconds: float, runs: int = 20, spread: float = 1.1) -> dict[str, float | int]:
    return {
        "runs": runs,
        "median": seconds,
        "mean": seconds * 1.05,
        "least": seconds / spread,
        "most": seconds,
    }


def fake(gpu: bool, factor: float = 1.0) -> dict[str, Any]:
    """A measurement in which every row has a different time: `factor` times 1 ms, 2 ms, ..."""
    document: dict[str, Any] = {
        "format": measure.FORMAT,
        "date": "2026-01-02T03:04:05Z",
        "command": "python -m labs.studies.reproduce.measure",
        "machine": {"cpu": "A <b>CPU</b>", "cores": 2, "system": "Linux", "compiler": "gcc 12"},
        "gpu": {"name": "A GPU", "driver": "1.2", "nvcc": "13.0"} if gpu else None,
        "experiments": {},
    }
    for source in SOURCES:
        rows: dict[str, Any] = {}
        for table in source.tables:
            for r, name in ((x, name) for x in table.rows for name in (*x.sum, *x.by)):
                if gpu or not name.startswith("gpu"):
                    value = {"value": 1e-6, "backend": "GPU" if gpu else "simulator"}
                    rows[name] = row(1e-3 * factor * (len(rows) + 1)) if r.unit else value
        document["experiments"][source.id] = {
            "date": document["date"],
            "settings": {"pixels": 162_000_000, "convolution operations": 10**9},
            "rows": rows,
            "missing": {} if gpu else {"gpu": "needs a GPU"},
        }
    return document


def line(chapters: tuple[tables.Chapter, ...], source: str, label: str) -> tables.Line:
    lines = [x for c in chapters if c.source.id == source for s in c.sections for x in s.lines]
    return next(x for x in lines if f"{x.label} {x.group}".strip() == label)


def figures(source: str, title: str) -> dict[str, float]:
    (found,) = [t for s in SOURCES if s.id == source for t in s.tables if t.title == title]
    named = {f"{r.label} {r.group}".strip(): r.published for r in found.rows}
    return {name: figure for name, figure in named.items() if figure is not None}


# ------------------------------------------------------------------------------ published


def test_source_000_is_consistent() -> None:
    """Its speed-ups follow from its times, to the digits that it prints."""
    table = figures("000", "Table 1: filter and transfer")
    for size in ("3x3", "5x5"):
        cpu, gpu = table[f"CPU, filter {size}"], table[f"GPU, filter {size}"]
        transfer = table[f"GPU, transfer {size}"]
        assert round(cpu / gpu, 1) == table[f"speed-up, filter {size}"]
        assert round(cpu / (gpu + transfer), 1) == table[f"speed-up, overall {size}"]


def test_source_001_is_consistent() -> None:
    """Its megapixel is 2^20 pixels: rates and times agree to all digits of the times."""
    table = figures("001", "The steps on the CPU")
    pixels = 27000 * 6000 / 2**20
    assert pixels / table["AVX, time"] == pytest.approx(table["AVX"], rel=2e-5)
    assert pixels / table["baseline, time"] == pytest.approx(table["baseline"], rel=1e-6)
    order = ["baseline", "OpenMP", "FMA", "in memory order", "SSE", "AVX"]
    assert sorted(order, key=lambda name: table[name]) == order


def test_source_003_is_consistent() -> None:
    """Its last quotient is the product of those of the steps before it."""
    table = figures("003", "The ratios")
    size = "512x512"
    steps = (
        table[f"global memory over CPU with OpenMP {size}"]
        / table[f"slowdown by the shared tile with idle apron {size}"]
        * table[f"two separable passes over that tile {size}"]
        * table[f"convolutionSeparable (lab 6 C) over those two passes {size}"]
    )
    assert round(steps, 2) == table[f"convolutionSeparable (lab 6 C) over CPU with OpenMP {size}"]


def test_source_004_is_consistent() -> None:
    table = figures("004", "The kernels")
    quotient = table["global memory"] / table["static shared memory"]
    assert round(quotient) == table["speed-up by static shared memory"]
    assert table["static shared memory"] < table["dynamic shared memory"]


def test_all_sources_are_present_and_002_publishes_no_time() -> None:
    assert [source.id for source in SOURCES] == ["000", "001", "002", "003", "004"]
    assert list(experiments.EXPERIMENTS) == [source.id for source in SOURCES]
    rows = [r for s in SOURCES if s.id == "002" for t in s.tables for r in t.rows]
    assert all(r.published is None for r in rows)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('unit = "furlong"', "furlong"),
        ('by = ["b"]', "a ratio has"),
        ("published = 1.0", "where"),
        ("colour = 1", "colour"),
    ],
)
def test_a_wrong_row_is_refused(tmp_path: Path, wrong: str, message: str) -> None:
    file = tmp_path / "published.toml"
    source = '[[source]]\nid = "000"\ntitle = ""\nby = ""\nmachine = ""\ntext = ""\n'
    table = '[[source.table]]\ntitle = "t"\nunit = "ms"\n'
    file.write_text(f'{source}{table}[[source.table.row]]\nlabel = "r"\nsum = ["a"]\n{wrong}\n')
    with pytest.raises(published.PublishedError, match=message):
        published.load(file)


# ------------------------------------------------------------------------------ tables


def test_a_speed_up_is_a_quotient_of_one_run() -> None:
    here, other = fake(gpu=True), fake(gpu=True, factor=3)
    found = line(tables.chapters(SOURCES, here, other), "000", "speed-up, overall 3x3")
    rows = here["experiments"]["000"]["rows"]
    names = ("gpu 3x3/device", "gpu 3x3/upload", "gpu 3x3/download")
    expected = rows["cpu 3x3/loops"]["median"] / sum(rows[n]["median"] for n in names)
    assert found.here.value == pytest.approx(expected)
    assert found.reference.value == pytest.approx(expected)  # a factor on all times cancels


def test_rates_are_converted_to_their_units() -> None:
    here = fake(gpu=True)
    here["experiments"]["001"]["rows"]["cpu/baseline"] = row(162e6 / 2**20 / 81)
    chapters = tables.chapters(SOURCES, here, None)
    assert line(chapters, "001", "baseline").here.value == pytest.approx(81)
    assert line(chapters, "001", "baseline, time").here.text == "1.91 s"
    assert line(chapters, "001", "baseline").here.text == "81 Mpx/s"


def test_source_003_uses_the_mean() -> None:
    here = fake(gpu=True)
    here["experiments"]["003"]["rows"]["cpu 512x512/separable"] = row(0.1) | {"mean": 0.2}
    found = line(tables.chapters(SOURCES, here, None), "003", "CPU, separable, one core 512x512")
    assert found.here.value == pytest.approx(200)


def test_without_a_gpu_its_rows_say_so_and_stay_empty() -> None:
    chapters = tables.chapters(SOURCES, fake(gpu=False), fake(gpu=True))
    for chapter in chapters:
        rows = [r for t in chapter.source.tables for r in t.rows]
        lines = [x for s in chapter.sections for x in s.lines]
        for asked, found in zip(rows, lines, strict=True):
            needs = any(name.startswith("gpu") for name in (*asked.sum, *asked.by))
            assert (found.here.text == "needs a GPU") == needs == (found.here.value is None)
            assert found.reference.value is not None


def test_without_a_committed_run_its_column_is_not_measured_yet() -> None:
    chapters = tables.chapters(SOURCES, fake(gpu=True), None)
    cells = [x.reference for c in chapters for s in c.sections for x in s.lines]
    assert {(cell.text, cell.value) for cell in cells} == {("not measured yet", None)}


def test_the_longest_reason_wins() -> None:
    here = fake(gpu=True)
    experiment = here["experiments"]["003"]
    del experiment["rows"]["gpu 512x512/vectorised"]
    experiment["missing"] = {"gpu": "wrong", "gpu 512x512/vectorised": "lab 6 has no solution"}
    label = "separable, vector loads (lab 6 C) 512x512"
    assert line(tables.chapters(SOURCES, here, None), "003", label).here.text == (
        "lab 6 has no solution"
    )


def test_an_unsteady_time_is_marked() -> None:
    here = fake(gpu=True)
    here["experiments"]["000"]["rows"]["cpu 3x3/loops"] = row(1e-3, spread=2.5)
    chapters = tables.chapters(SOURCES, here, None)
    assert line(chapters, "000", "CPU, filter 3x3").here.mark == "unsteady"
    assert line(chapters, "000", "speed-up, filter 3x3").here.mark == "unsteady"
    assert line(chapters, "000", "CPU, filter 5x5").here.mark == ""


@pytest.mark.parametrize(("error", "mark"), [(9.9e-6, "within"), (1.1e-5, "beyond")])
def test_source_004_error_is_within_its_bound(error: float, mark: str) -> None:
    here = fake(gpu=True)
    here["experiments"]["004"]["rows"]["error/tile"]["value"] = error
    chapters = tables.chapters(SOURCES, here, None)
    lines = [x for s in chapters[4].sections if "SciPy" in s.title for x in s.lines]
    assert lines[1].here.mark == mark


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0215, "0.0215"),
        (0.5, "0.5"),
        (12.345, "12.3"),
        (5188.7, "5189"),
        (3.4e-12, "3.40e-12"),
        (2e6, "2.00e6"),
    ],
)
def test_numbers_are_formatted(value: float, text: str) -> None:
    assert tables.number(value) == text


# ------------------------------------------------------------------------------ measuring


def test_the_first_call_is_not_counted() -> None:
    calls = iter([9e9, 3e9, 1e9, 8e9])
    found = Found()
    found.time("a", lambda _count: next(calls), Limit(3, 100))
    found.time("b", lambda count: 100e9 / count, Limit(3, 100))  # the first takes all the time
    found.time("c", lambda _count: 1 / 0, Limit(0, 100))
    assert found.seconds["b"][0] == 100 and "c" not in found.seconds
    assert programs.summary(found.seconds["a"]) == {
        "runs": 3, "median": 3, "mean": 4, "least": 1, "most": 8,
    }  # fmt: skip


def test_pictures_are_scaled_as_in_the_source() -> None:
    values = np.array([[-4.0, 0.0], [1.0, 2.0]], dtype=np.float32)
    assert experiments.picture(values).tolist() == [[255, 0], [64, 128]]


@pytest.mark.parametrize("gpu", [False, True])
def test_schema_fits_a_measurement_and_refuses_others(gpu: bool) -> None:
    document = fake(gpu)
    jsonschema.validate(document, SCHEMA)
    for path in (("date",), ("experiments", "000", "rows"), ("machine", "cores")):
        broken: Any = copy.deepcopy(document)
        inner = broken
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = "x"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_committed_run_fits_the_schema() -> None:
    file = paths.ROOT / "labs" / "studies" / "reproduce" / "reference.json"
    if not file.exists():
        pytest.skip("no run on a GPU has been committed yet")
    document = json.loads(file.read_text())
    jsonschema.validate(document, SCHEMA)
    assert document["gpu"] is not None


def test_programs_measure_and_agree() -> None:
    """The filters on the CPU, on a small image, all give the same result."""
    image = np.random.default_rng(1).random((61, 97), dtype=np.float32)
    line_of = np.array([1, 4, 6, 4, 1], dtype=np.float32) / 16
    computed = programs.filtering(image, np.outer(line_of, line_of), ZERO)
    limit = Limit(3, 1.0)
    seconds, outputs = dict[str, Any](), dict[str, Any]()
    for program in (programs.cpu_filter, programs.cpu_separable):
        found = programs.run(program, computed, limit)
        seconds |= found.seconds
        outputs |= found.outputs
    assert set(seconds) == {
        *("columns", "loops", "rows", "openmp"),
        *("separable", "separable_openmp"),
    }
    for name, runs in seconds.items():
        assert len(runs) == 3
        np.testing.assert_allclose(outputs[name], outputs["loops"], rtol=1e-5)


def test_every_step_of_the_ladder_is_timed() -> None:
    """Each has given the bytes of the first, or the program would have failed."""
    found = programs.run(programs.cpu_grey, 3, 50, Limit(2, 1.0))
    flags = machine.processor_flags()
    known = {name for name, (_, _, needs) in programs.GREY.items() if set(needs) <= set(flags)}
    assert found.seconds.keys() == known >= {"baseline", "openmp", "rows"}


def crash() -> programs.Found:
    os.abort()


def test_a_program_that_crashes_is_named() -> None:
    with pytest.raises(programs.ProgramError, match="crash"):
        programs.run(crash)


def test_source_004_on_the_simulator_agrees_with_scipy() -> None:
    """Its experiment without a GPU compares results and gives no times."""
    bench = experiments.Bench(gpu=False, no_gpu="needs a GPU", say=lambda _text: None)
    experiments.source004(bench)
    assert {"error/device", "error/tile", "error/dynamic"} <= bench.rows.keys()
    for entry in bench.rows.values():
        assert entry["backend"] == "simulator"
        assert 0 < entry["value"] <= 1e-5
    assert bench.missing == {"gpu/": "needs a GPU"}


# ------------------------------------------------------------------------------ the report


class Page(HTMLParser):
    """The tags of a page, its ids, and what it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.names.append(value or "")
            if name in ("src", "href", "xlink:href"):
                self.loads.append(value or "")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "here.json").write_text(json.dumps(fake(gpu=False)))
    (folder / "reference.json").write_text(json.dumps(fake(gpu=True, factor=0.1)))
    for out in ("one", "two"):
        arguments = ["here.json", "--reference", "reference.json", "--out", out]
        subprocess.run(
            [sys.executable, "-m", "labs.studies.reproduce.report", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(paths.ROOT), "MPLCONFIGDIR": str(folder)},
            check=True,
        )
    return folder


@pytest.mark.slow("makes the report, with its six plots, twice")
def test_report_is_reproducible(report: Path) -> None:
    assert (report / "one/report.html").read_bytes() == (report / "two/report.html").read_bytes()


def test_the_page_loads_nothing_and_its_ids_are_unique(report: Path) -> None:
    text = (report / "one" / "report.html").read_text()
    page = Page(text)
    assert len(page.names) == len(set(page.names))
    assert all(load.startswith(("#", "data:")) for load in page.loads)
    assert all(load[1:] in page.names for load in page.loads if load.startswith("#"))
    assert page.tags.count("svg") == 6
    assert not re.search(r"@import|<script|<link|url\(\s*['\"]?http", text)
    assert "A &lt;b&gt;CPU&lt;/b&gt;" in text
    assert "<b>CPU" not in text
    charts = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    for chart in charts:
        ET.fromstring(chart.replace("&nbsp;", " "))
        assert "var(--ink)" in chart


def test_the_page_contains_every_row(report: Path) -> None:
    page = (report / "one" / "report.html").read_text()
    assert "needs a GPU" in page
    for chapter in tables.chapters(SOURCES, fake(gpu=False), fake(gpu=True, factor=0.1)):
        for row_of in (x for s in chapter.sections for x in s.lines):
            assert row_of.reference.text in page
            assert row_of.published.text in page
    rows = [r for s in SOURCES for t in s.tables for r in t.rows]
    assert page.count('<th scope="row">') == len(rows) + 5
