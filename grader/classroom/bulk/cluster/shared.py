"""What the coordinator and the nodes share: files below RUN/.run/cluster/.

    batches/NAME/job.msgpack      what all tasks of a job have in common (Job)
    batches/NAME/INDEX.msgpack    the grades of one task (list of Timed)
    batches/NAME/id               the job's id, once Slurm has taken it
    batches/NAME/INDEX.problem    why the node could not begin the task, in words
    results/KEY.msgpack           an Answer: the grade of a key

Every file is written under another name and renamed, so a reader sees all of it or nothing. A task
may run twice, or end in the middle and run again: a result that is there is not made again, and
the same key always names the same result. What comes back is trusted because only the owner may
write into the folder (mode 700).
"""

import uuid
from pathlib import Path

import msgspec

from grader import files
from grader.classroom.bulk.protocol import MOST, Answer, Failed, Grade, Graded

FOLDER = "cluster"  # in RUN/.run


class Job(msgspec.Struct, frozen=True):
    """What all tasks of a job have in common. course: the hash of the course's files that decide a
    grade, by lab and by name. trusted: grade even without a sandbox. at_a_time: grades that a
    node makes at once; 0: one for each of its cores, and one more."""

    course: dict[str, dict[str, str]]
    trusted: bool
    gpu: bool
    timed: bool
    at_a_time: int = 0


class Timed(msgspec.Struct, frozen=True):
    """A grade to make, and the seconds after which its worker must hang."""

    grade: Grade
    seconds: float


class Shared:
    """The shared folder of a run."""

    def __init__(self, own: Path) -> None:
        """own: RUN/.run. Raises OSError."""
        self.folder = own.resolve() / FOLDER
        for folder in (self.folder, self.folder / "batches", self.folder / "results"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def new_batch(self, job: Job, tasks: list[list[Timed]]) -> Path:
        """Writes the tasks of a job. Returns their folder, whose name no other run has used."""
        folder = self.folder / "batches" / uuid.uuid4().hex
        folder.mkdir(mode=0o700)
        for index, task in enumerate(tasks):
            files.replace(task_file(folder, index), msgspec.msgpack.encode(task))
        files.replace(folder / "job.msgpack", msgspec.msgpack.encode(job))
        return folder

    def batches(self) -> list[Path]:
        """The batches of this run and of those that were interrupted."""
        return sorted(path for path in (self.folder / "batches").iterdir() if path.is_dir())

    def results(self) -> set[str]:
        """The keys that have a result."""
        names = (path.name for path in (self.folder / "results").iterdir())
        return {name.removesuffix(".msgpack") for name in names if name.endswith(".msgpack")}

    def result_file(self, key: str) -> Path:
        return self.folder / "results" / f"{key}.msgpack"

    def write_result(self, key: str, answer: Answer) -> None:
        """Raises OSError."""
        files.replace(self.result_file(key), msgspec.msgpack.encode(answer))

    def read_result(self, key: str) -> Graded | Failed | None:
        """The result of a key; None where there is none, or where it is damaged."""
        try:
            data = files.read_regular(self.result_file(key), MOST)
            answer = msgspec.msgpack.decode(data, type=Graded | Failed)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return answer if isinstance(answer, Failed) or answer.key == key else None

    def forget_result(self, key: str) -> None:
        self.result_file(key).unlink(missing_ok=True)


def task_file(batch: Path, index: int) -> Path:
    return batch / f"{index}.msgpack"


def problem_file(batch: Path, index: int) -> Path:
    return batch / f"{index}.problem"


def read_job(batch: Path) -> Job:
    """Raises OSError, msgspec.DecodeError."""
    return msgspec.msgpack.decode((batch / "job.msgpack").read_bytes(), type=Job)


def read_task(batch: Path, index: int) -> list[Timed]:
    """The grades of one task. Raises OSError, msgspec.DecodeError."""
    return msgspec.msgpack.decode(task_file(batch, index).read_bytes(), type=list[Timed])
