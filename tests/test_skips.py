"""What is not run is not passed: a test that a machine cannot run says why, and in CI it has failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASES = """
import pytest

@pytest.mark.skipif(True, reason="no nginx")
def test_marked(): ...

@pytest.fixture
def browser():
    pytest.skip("no browser")

def test_fixture(browser): ...

@pytest.mark.xfail(reason="never right")
def test_wrong():
    assert False
"""


@pytest.mark.parametrize(
    ("ci", "code", "summary"), [("true", 1, "1 failed, 2 errors"), ("", 0, "2 skipped, 1 xfailed")]
)
def test_a_skipped_test_has_failed_in_ci(tmp_path: Path, ci: str, code: int, summary: str) -> None:
    (tmp_path / "conftest.py").write_text((Path(__file__).parent / "conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "test_cases.py").write_text(CASES, "utf-8")
    environment = {**os.environ, "CI": ci}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path), f"--rootdir={tmp_path}"]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == code, ran.stdout
    assert summary in ran.stdout
