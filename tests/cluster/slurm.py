"""A Slurm of one node, for the tests. Its processes end with the test's namespace of processes."""

import os
import re
import subprocess
import time
from pathlib import Path

CONFIGURATION = """\
ClusterName=virnucpro
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=600
KillWait=20
SchedulerParameters=sched_interval=2,bf_interval=5
NodeName=localhost NodeAddr=127.0.0.1 CPUs={processors} RealMemory=64000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def wait_for(what, condition, seconds):
    """The first true value of `condition`, which is asked for that long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"after {seconds} s: no {what}")


class Slurm:
    def __init__(self, folder, processors):
        self.folder = folder
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        # Where every program of Slurm looks: Snakemake's plugin drops SLURM_CONF for its jobs. Only the
        # tests' own namespace of mounts sees it.
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/etc/slurm"], check=True)
        Path("/etc/slurm/slurm.conf").write_text(
            CONFIGURATION.format(folder=folder, processors=processors))
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        self.daemons = []

    def start(self):
        # --force: the folder of temporary files may be written by all.
        self._daemon("munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                     f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid",
                     f"--seed-file={self.folder}/munged.seed", f"--log-file={self.folder}/munged.log")
        wait_for("socket of munged", (self.folder / "munge.socket").exists, 30)
        self._daemon("slurmctld", "-D")
        self._daemon("slurmd", "-D", "-N", "localhost")
        wait_for("idle node", lambda: "idle" in self.call("sinfo", "-h", "-o", "%T", check=False), 60)

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(timeout=60)

    def call(self, *command, check=True):
        return subprocess.run(command, check=check, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout

    def has_timed_out(self, job):
        """Whether the time limit of this job, or of an attempt at it, is exhausted."""
        said = (self.folder / "slurmctld.log").read_text()
        return re.search(rf"Time limit exhausted for .*JobId={job}\b|Time limit exhausted for .*\({job}\)", said)

    def _daemon(self, name, *options):
        with open(self.folder / f"{name}.out", "wb") as said:
            self.daemons.append(subprocess.Popen(["/usr/sbin/" + name, *options], stdout=said,
                                                 stderr=said))


def processes_at(run):
    """The processes of the program whose command line names this run's directory."""
    name = "/".join(run.parts[-3:])  # the path may be relative
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            words = (entry / "cmdline").read_text().split("\0")
        except OSError:
            continue  # it ended meanwhile
        if words[0].endswith("virnucpro") and any(word.endswith(name) for word in words):
            found.append(int(entry.name))
    return found


def slurm_job_of(process):
    """The Slurm job that a process is of; empty if it is gone."""
    try:
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next(one.partition(b"=")[2].decode() for one in variables if one.startswith(b"SLURM_JOB_ID="))
