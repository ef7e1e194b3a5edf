#!/usr/bin/env python3
"""`warplens sweep --slurm` under Slurm itself: a controller, a node and munge of our own, on this machine alone.

Skipped where the packages are not there (Debian: slurmctld, slurmd, slurm-client, munge)."""

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("WL_PROGRAM", str(ROOT / "build/release/app/warplens"))
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"

CONFIGURATION = """ClusterName=warplens
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={at}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=5 State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@unittest.skipUnless(all(shutil.which(name, path=PATH) for name in NEEDED), f"needs {', '.join(NEEDED)}")
class Slurm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="warplens-slurm-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.at = Path(folder.name)
        for name in ("state", "spool", "out"):
            (self.at / name).mkdir()
        (self.at / "slurm.conf").write_text(CONFIGURATION.format(
            at=self.at, host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.getuid()).pw_name,
            controller=free_port(), node=free_port()))
        key = self.at / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.environment = os.environ | {"PATH": PATH, "SLURM_CONF": str(self.at / "slurm.conf")}
        self.serve("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.at}/munge.socket",
                   f"--pid-file={self.at}/munge.pid", f"--log-file={self.at}/munge.log", f"--seed-file={self.at}/seed")
        self.until("munge", lambda: (self.at / "munge.socket").exists())
        self.serve("slurmctld", "-D", "-f", str(self.at / "slurm.conf"))
        self.serve("slurmd", "-D", "-f", str(self.at / "slurm.conf"), "-N", socket.gethostname().split(".")[0])
        self.until("a node", lambda: "idle" in self.run_in("sinfo", "-h", "-o", "%t").stdout)

    def serve(self, *words):
        log = open(self.at / f"{words[0]}.said", "w")
        process = subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, cwd=self.at)
        self.addCleanup(log.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def run_in(self, *words, **more):
        return subprocess.run(words, env=self.environment, cwd=self.at, capture_output=True, text=True, **more)

    def logs(self):
        return "\n".join(f"{p.name}: {p.read_text(errors='replace')[-1500:]}" for p in sorted(self.at.glob("*.said"))
                         ) + "\n".join(p.read_text(errors="replace")[-1500:] for p in sorted(self.at.glob("out/*.log")))

    def until(self, what, done):
        end = time.monotonic() + 60
        while not done():
            self.assertLess(time.monotonic(), end, f"no {what} within 60 s\n{self.logs()}")
            time.sleep(0.1)

    def test_the_script_is_what_sbatch_takes(self):
        words = ["sweep", str(ROOT / "tests/kernels/sums.toml"), "--faults", "all", "--seeds", "2"]
        script = self.run_in(PROGRAM, *words, "--slurm", "--parts", "2", "--jobs", "1", "-o", "out").stdout
        (self.at / "sweep.sh").write_text(script)
        said = self.run_in("sbatch", "sweep.sh")
        self.assertEqual(said.returncode, 0, said.stderr + script)
        self.until("end of the jobs", lambda: not self.run_in("squeue", "-h").stdout.strip())
        parts = sorted(str(p) for p in self.at.glob("out/part-*.json"))
        self.assertEqual(len(parts), 2, self.logs())
        merged = self.run_in(PROGRAM, "sweep", "--merge", *parts, "--json")
        self.assertEqual(merged.returncode, 1, merged.stderr + self.logs())
        table = json.loads(merged.stdout)
        self.assertEqual([run["verdict"] for run in table["runs"]], ["ok", "ok", "findings", "findings"])
        for run in table["runs"][2:]:
            self.assertTrue((self.at / run["capture"]).exists(), run)


if __name__ == "__main__":
    sys.exit(unittest.main())
