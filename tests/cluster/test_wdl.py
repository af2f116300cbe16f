import os
import subprocess

from conftest import SOURCE


def test_wdl_is_well_formed():
    checked = subprocess.run([os.environ["VIRNUCPRO_MINIWDL"], "check", "--strict",
                              SOURCE / "workflow" / "wdl" / "virnucpro.wdl"],
                             check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert checked.returncode == 0, checked.stdout
