"""A Slurm cluster of one node, on loopback, in a temporary folder, with daemons of its own."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.tests import captured

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


def missing() -> str:
    """Why no cluster can be started here; "" when one can."""
    if absent := [name for name in PROGRAMS if shutil.which(name) is None]:
        return f"there is no {absent[0]}: apt-get install slurmctld slurmd slurm-client munge"
    return "" if os.getuid() == 0 else "slurmd needs root"


@contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Starts the daemons. Yields the environment in which Slurm's commands find them."""
    folder.chmod(0o755)
    for name in ("state", "spool", "node"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    ports = [_free_port(), _free_port()]
    text = CONFIGURATION.format(
        host=socket.gethostname(), folder=folder, controller=ports[0], node=ports[1]
    )
    (folder / "slurm.conf").write_text(text)
    environment = {"SLURM_CONF": f"{folder}/slurm.conf", "CONVLABS_NODE_FOLDER": f"{folder}/node"}
    named = [f"--key-file={key}", f"--pid-file={folder}/munge.pid"]
    named += [f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"]
    try:
        _run(["munged", f"--socket={folder}/munge.sock", "--force", *named], environment)
        _run(["slurmctld", "-c"], environment)
        _run(["slurmd", "-c"], environment)
        _wait_until_idle(environment, folder)
        yield environment
    finally:
        for name in ("slurmd", "slurmctld", "munge"):
            _end(folder / f"{name}.pid")


def _run(argv: list[str], environment: dict[str, str]) -> None:
    subprocess.run(argv, env=os.environ | environment, check=True, timeout=60)


def _wait_until_idle(environment: dict[str, str], folder: Path) -> None:
    deadline = time.monotonic() + 60
    argv = ["sinfo", "--noheader", "--format=%t"]
    while time.monotonic() < deadline:
        done = captured.run(argv, env=os.environ | environment)
        if done.stdout.strip() == "idle":
            return
        time.sleep(1)
    raise RuntimeError((folder / "slurmctld.log").read_text()[-2000:])


def _end(pid_file: Path) -> None:
    with suppress(OSError, ValueError):
        pid = int(pid_file.read_text())
        os.kill(pid, signal.SIGTERM)
        for _ in range(100):
            os.kill(pid, 0)
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
