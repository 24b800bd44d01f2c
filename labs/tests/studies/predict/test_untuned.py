"""Calls that nothing was fitted to: their programs can be made, their errors are counted right."""

from pathlib import Path

import pytest

from labs.studies.predict import untuned

CALL = "lab2-{} correlate_device 8x8x1x0"
PREDICTED = "call,code,followed,predicted_us,low_us,high_us,bound\n"
MEASURED = "library,function,a,b,c,d,cold_us\n"


def test_every_program_can_be_made_and_every_call_was_predicted_before_it_was_timed() -> None:
    for program in {call.program for call in untuned.calls()}:
        assert all(file.exists() for file in untuned.sources(program))
    names = {call.name for call in untuned.calls()}
    assert len(names) == len(untuned.calls()) >= 60
    with untuned.PREDICTIONS.open() as file:
        predicted = [line.split(",")[:2] for line in list(file)[1:]]
    assert sorted(predicted) == sorted([name, kind] for name in names for kind in untuned.KINDS)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        # b: 10 % above, c: 100 % above and outside; c and b, c and a are 1.2 apart and more
        ((10, 10, 10), "3 | 10.0 % | 66.7 % | 66.7 % | 0 of 0 | 0 of 0"),
        ((10, 11, 20), "3 | 0.0 % | 100.0 % | 100.0 % | 2 of 2 | 3 of 3"),
        ((10, 9, 20), "3 | 0.0 % | 100.0 % | 100.0 % | 2 of 2 | 2 of 3"),
    ],
)
def test_predictions_are_compared_with_what_was_measured(
    tmp_path: Path, measured: tuple[int, ...], said: str
) -> None:
    predictions, times = tmp_path / "predictions.csv", tmp_path / "times.csv"
    rows = [f"{CALL.format(n)},{kind},yes,{us},{us - 2},{us + 2},issue\n"
            for n, us in (("a", 10), ("b", 11), ("c", 20)) for kind in untuned.KINDS]  # fmt: skip
    predictions.write_text(PREDICTED + "".join(rows))
    of_calls = zip("abc", measured, strict=True)
    times.write_text(
        MEASURED + "".join(f"lab2-{n},correlate_device,8,8,1,0,{us}\n" for n, us in of_calls)
    )
    assert untuned.table(predictions, times)[2:] == [
        f"| {kind} | {said} |" for kind in untuned.KINDS
    ]


def test_nothing_is_predicted_once_times_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = tmp_path / "times.csv"
    times.write_text(MEASURED)
    monkeypatch.setattr(untuned, "TIMES", times)
    monkeypatch.setattr(untuned, "freeze", lambda: pytest.fail("it predicts"))
    monkeypatch.setattr("sys.argv", ["untuned", "--freeze"])
    with pytest.raises(SystemExit, match="exists"):
        untuned.main()
