"""Folders that are not graded are named."""

from pathlib import Path

from grader.classroom.bulk.intake import discover


def test_a_folder_whose_name_begins_with_a_dot_is_not_skipped_in_silence(tmp_path: Path) -> None:
    for name in ("ann", "bob", ".carol", ".git"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cpu_loop.c").write_text("int x;\n")
    assert str(discover.download(tmp_path)).endswith("begins with a dot is hidden: .carol")
    (tmp_path / ".carol").rename(tmp_path / "carol")
    assert "dot" not in str(discover.download(tmp_path))
