"""What was noted of a submission's files stands wherever its grade is shown."""

from pathlib import Path

from grader.classroom.bulk.store import Store
from grader.classroom.export import feedback, gradebook, grades
from grader.classroom.export.summary import summary
from grader.classroom.page import page
from grader.tests.classroom.bulk.made_runs import grade, hand_in, result

NOTE = '"file (1).cu" was accepted as file.cu'


def test_note_on_a_file_is_shown_to_the_instructor_and_the_student(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", resume=False)
    hand_in(store, "ann", {"lab3": b"a"}, notes=f"late, {NOTE}, not on the roster")
    hand_in(store, "ben", {"lab3": b"b"}, notes="resubmitted")
    grade(store, {"lab3 a": result(earned=60), "lab3 b": result(earned=60)})
    of_class = grades.of(store)
    book = dict(gradebook.render(of_class))[gradebook.NAME].decode()
    assert NOTE.replace('"', '""') in book and "roster" not in book and "resubmitted" not in book
    assert f"lab3  ann: {NOTE}" in summary(of_class) and "ben" not in summary(of_class)
    ann, ben = (feedback.feedback(each) for each in of_class.every)
    assert NOTE in ann and "accepted" not in ben and "roster" not in ann
    shown = page.page(store, tmp_path, pseudonyms=False)
    assert "file (1).cu" in shown.split('id="changed"')[1].split("</section>")[0]
    store.close()
