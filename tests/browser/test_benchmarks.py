"""The benchmarks of the pages, of a drag and of a workshop, in their short form and as commands."""

import json
import subprocess
import sys

import pytest

from attention_ui import prose
from benchmarks.server import ROOT

SLUGS = {chapter.slug for chapter in prose.chapters()}


@pytest.mark.usefixtures("browser_type_launch_args")  # skips without a browser
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's clock of another process")
def test_a_change_leaves_no_picture_missing_and_is_no_slower_than_plotly_chart() -> None:
    command = [sys.executable, "-m", "benchmarks.pages", "--short"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert set(found) == {
        "page_change_cpu_ms",
        "page_change_ms",
        "missing_frames",
        "baseline_change_ms",
        "baseline_missing_frames",
        "first_visit_bytes",
    }
    assert set(found["page_change_cpu_ms"]) == SLUGS
    assert found["missing_frames"] == dict.fromkeys(SLUGS, 0)
    # Not absolute times, machines differ; and the short form's medians are of two changes only.
    assert 0 < found["page_change_ms"]["home"] < 1.5 * found["baseline_change_ms"]
    assert 2_000_000 < found["first_visit_bytes"] < 3_500_000


@pytest.mark.usefixtures("browser_type_launch_args")  # skips without a browser
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's clock of another process")
def test_a_drag_leaves_no_picture_missing_and_is_faster_than_plotly_chart() -> None:
    command = [sys.executable, "-m", "benchmarks.drag", "--short"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert set(found) == {
        "median_ms",
        "p95_ms",
        "updates_per_s",
        "arrow_fps",
        "missing_frames",
        "server_cpu_ms",
        "baseline_median_ms",
        "baseline_missing_frames",
    }
    assert found["missing_frames"] == 0
    assert 0 < found["median_ms"] < found["baseline_median_ms"]
    assert found["arrow_fps"] > 0
    assert found["updates_per_s"] > 0
    assert 0 < found["server_cpu_ms"] < 100  # a slow or busy machine; the full form is for quiet ones


@pytest.mark.usefixtures("browser_type_launch_args")  # skips without a browser
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's clock of another process")
def test_a_small_workshop_loses_nothing() -> None:
    parts = ["50", "drag_10", "arrive_100"]
    command = [sys.executable, "-m", "benchmarks.load", "--short", *(f"--only={part}" for part in parts)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert list(found) == parts
    keys = {"p50_ms", "p95_ms", "per_s", "errors", "cpu", "rss_mib"}
    assert found["50"].keys() == keys
    assert found["drag_10"].keys() == keys | {"slowest_per_s"}
    assert found["arrive_100"].keys() == {"cpu_s", "p95_ms", "errors"}
    assert [found[part]["errors"] for part in parts] == [0, 0, 0], run.stderr
    assert all(0 < found[part]["p50_ms"] <= found[part]["p95_ms"] for part in ("50", "drag_10"))
    assert found["drag_10"]["slowest_per_s"] > 0
    assert 0 < found["arrive_100"]["cpu_s"] < 0.5 * 4  # four visits; each took 0.19 s before files were packed once
