"""Translates one program: which edits it gets, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labs.sim.translate.checks.compiled_uses import refuse_host_uses
from labs.sim.translate.checks.execution_spaces import refuse_as_nvcc
from labs.sim.translate.checks.sizes import warn_of_sizes
from labs.sim.translate.checks.unsupported import (
    refuse_clusters,
    refuse_missing_headers,
    refuse_names,
)
from labs.sim.translate.device import qualifiers
from labs.sim.translate.device.arithmetic import DeviceArithmetic
from labs.sim.translate.device.evaluation_order import order_evaluation
from labs.sim.translate.device.variables import Variables
from labs.sim.translate.host import api_calls, kernel_addresses, launch_bounds
from labs.sim.translate.host.launches import Launches
from labs.sim.translate.reader.architecture import merged
from labs.sim.translate.reader.expanded import Expanded, Lines
from labs.sim.translate.reader.one_text import refuse_differences
from labs.sim.translate.reader.preprocess import Preprocessor
from labs.sim.translate.reader.program import BEFORE_MAIN, Function, Program
from labs.sim.translate.watch.exchanges import in_lock_step, place_fences, watch_exchanges
from labs.sim.translate.watch.local_arrays import check_indices, check_numbers
from labs.sim.translate.watch.missing_returns import watch_ends
from labs.sim.translate.watch.vectors import check_vectors

LOCK_STEP = b"#pragma sim_lock_step\n"
TOGETHER = f"\n{BEFORE_MAIN} static const sim_together sim_is_together;\n".encode()


class Translation:
    """One program; `rewrite()` returns it as C++, or raises Refusal.

    is_traced: it is for counters and checks. lock_step: as --lock-step. counts: the values of
    macros in #pragma unroll. own_copies: as --own-copies. as_nvcc: refuses more of what nvcc
    refuses, by this compiler with its flags. has_columns: as --columns."""

    def __init__(
        self,
        expanded: Expanded,
        is_traced: bool = False,
        lock_step: bool = False,
        counts: dict[bytes, int] | None = None,
        own_copies: bool = False,
        as_nvcc: Sequence[str] = (),
        has_columns: bool = False,
    ) -> None:
        self.program = Program(expanded)
        self.is_traced = is_traced
        self.lock_step = lock_step
        self.counts = counts or {}
        self.own_copies = own_copies
        self.as_nvcc = as_nvcc
        self.has_columns = has_columns

    def rewrite(self) -> bytes:
        program = self.program
        refuse_names(program)
        refuse_clusters(program)
        if self.as_nvcc:
            refuse_as_nvcc(program, self.as_nvcc)
        self._host()
        if self.as_nvcc:
            refuse_host_uses(program, self.as_nvcc)
        warn_of_sizes(program)
        watch_ends(program)
        DeviceArithmetic(program).rewrite()
        order_evaluation(program)
        stepped = in_lock_step(program) if self.is_traced or self.lock_step else []
        place_fences(program, stepped)
        if self.lock_step:
            watch_exchanges(program, stepped)
        self._mark(stepped)
        if self.is_traced:  # after the marks: these edit the accesses that an operand begins with
            check_indices(program, self.has_columns)
            check_numbers(program)
            return program.edited() + TOGETHER * bool(stepped)
        if self.lock_step:  # within what the marks put around a load
            check_vectors(program)
        return LOCK_STEP * bool(stepped) + program.edited()

    def _host(self) -> None:
        """What is not C++, and the calls of the runtime API."""
        program = self.program
        qualifiers.rename_references(program)
        qualifiers.qualify_names(program)
        launches = Launches(program)
        launches.rewrite()
        launch_bounds.rewrite(program, launches.kernels)
        kernel_addresses.rewrite(program, launches.kernels)
        qualifiers.remove_qualifiers(program)
        Variables(program, self.is_traced, self.own_copies).rewrite()
        qualifiers.mark_returns(program)
        api_calls.rewrite(program, launches.kernels)

    def _mark(self, stepped: list[Function]) -> None:
        """Marks the control flow. stepped: functions in lock step."""
        if not stepped and not self.is_traced:
            return
        from labs.sim.translate.control_flow import placement  # its grammar takes a while to load

        if stepped:
            placement.mark_lock_step(self.program, stepped)
        if self.is_traced:
            placement.mark_counted(self.program, self.counts)


def translate(
    path: Path,
    shown: str,
    compiler: list[str],
    lock_step: bool,
    own: Path | None,
    own_copies: bool = False,
    defines: Sequence[str] = (),
    has_columns: bool = False,
) -> tuple[bytes, bytes]:
    """The file as C++, and what g++ warned of. own: a file for the text as it was before.
    Raises Refusal or PreprocessorError, or OSError."""
    preprocessor = Preprocessor(compiler, path, shown, lock_step, tuple(defines))
    sources = Lines(shown, preprocessor.source())
    output, warnings = preprocessor.run()
    expanded = preprocessor.expand(output, sources)
    on_device = None
    if any(b"__CUDA_ARCH__" in line for lines in sources.read.values() for line in lines):
        preprocessor = preprocessor.without_precompiled()
        expanded = preprocessor.expand(preprocessor.run()[0], sources)
        on_device = preprocessor.expand(preprocessor.run(on_device=True)[0], sources)
    if own and preprocessor.is_traced:
        plain = preprocessor.plain()
        refuse_differences(expanded, plain.expand(plain.run()[0], sources))
        if on_device:
            of_device = plain.expand(plain.run(on_device=True)[0], sources)
            refuse_differences(on_device, of_device)
    expanded = merged(expanded, on_device)
    if own:
        own.write_bytes(expanded.whole(expanded.own, lambda at: at))
    counts = preprocessor.unroll_counts(expanded.own) if preprocessor.is_traced else {}
    translation = Translation(
        expanded,
        preprocessor.is_traced,
        lock_step,
        counts,
        own_copies,
        as_nvcc=() if on_device else preprocessor.compiler,
        has_columns=has_columns,
    )
    refuse_missing_headers(translation.program, preprocessor.source().split(b"\n"))
    return translation.rewrite(), warnings + translation.program.warnings


def refuse_host_code(path: Path, shown: str, compiler: list[str]) -> None:
    """Raises Refusal if a file that g++ compiles as it is uses what the simulator does not have."""
    preprocessor = Preprocessor(compiler, path, shown, is_host=True)
    sources = Lines(shown, preprocessor.source())
    refuse_names(Program(preprocessor.expand(preprocessor.run()[0], sources)))
