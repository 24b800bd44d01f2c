"""`./grade bulk` asks for the timezone of a worksheet's times before it makes a run."""

from pathlib import Path

from grader.tests import captured

DUE = "[lab.lab1]\ndue = 2027-03-01T23:59:00+09:00\n"


def test_time_without_zone_is_refused_by_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "in" / "ann").mkdir(parents=True)
    (tmp_path / "in" / "ann" / "cpu_loop.c").write_text("int x;\n")
    roster, course, run = (tmp_path / name for name in ("r.csv", "course.toml", "run"))
    roster.write_text("name,submitted\nbob,-\nann,2027-03-01 23:00\n")
    course.write_text(DUE)
    options = ("--labs", "lab1", "--roster", str(roster), "--course", str(course))
    done = captured.grade("bulk", str(tmp_path / "in"), "--out", str(run), *options)
    assert done.returncode == 2 and not (run / ".run").exists()
    said = f'{roster}, line 3: "2027-03-01 23:00" has no offset, while a due date'
    assert said in done.stderr and "Traceback" not in done.stderr
