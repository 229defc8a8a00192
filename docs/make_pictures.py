"""Makes the README's pictures: `python docs/make_pictures.py`.

docs/arrows.gif          chapter 3 while an arrow is dragged
docs/screens/<slug>.png  every page, half size
"""

import io
import sys
from collections.abc import Iterator
from math import cos, pi, sin
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from attention_ui import prose  # noqa: E402
from benchmarks.pages import browser  # noqa: E402
from benchmarks.server import serve  # noqa: E402
from benchmarks.visitor import Visitor  # noqa: E402

WIDE, HIGH = 1280, 860
FRAMES, FRAME_MS = 36, 110
SHOWN = 900  # pixels of the GIF's width
REST_MS = 600  # for all that follows from a move


def main() -> None:
    """Make all of them."""
    with browser() as chromium, serve() as server:
        for chapter in prose.chapters():
            page = open_page(chromium, f"{server.url}/{'' if chapter.slug == prose.HOME else chapter.slug}")
            small(page).save(ROOT / "docs" / "screens" / f"{chapter.slug}.png", optimize=True)
            page.close()
        page = open_page(chromium, f"{server.url}/arrows")
        frames = list(drag(page))
    first, *others = frames
    first.save(
        ROOT / "docs" / "arrows.gif",
        save_all=True,
        append_images=others,
        duration=FRAME_MS,
        loop=0,
        optimize=True,
        disposal=1,
    )


def open_page(chromium: Browser, url: str) -> Page:
    """A page with everything drawn."""
    page = chromium.new_page(viewport={"width": WIDE, "height": HIGH}, color_scheme="light")
    Visitor(page).visit(url)
    page.wait_for_timeout(800)
    return page


def small(page: Page) -> Image.Image:
    """What is on screen, half size, in few colours."""
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return image.resize((WIDE // 2, HIGH // 2), Image.Resampling.LANCZOS).quantize(
        128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )


def drag(page: Page) -> Iterator[Image.Image]:
    """Frames of the query of *bank* turned away from *river* and back, without the sidebar."""
    page.set_viewport_size({"width": WIDE, "height": 1600})  # all of it without scrolling
    page.wait_for_timeout(800)
    plane = page.locator(".st-key-arrows_ask svg").first.bounding_box()
    tip = page.locator('[aria-label^="query of bank"] .target').bounding_box()
    main = page.get_by_test_id("stMain").bounding_box()
    assert plane is not None
    assert tip is not None
    assert main is not None
    x, y = plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2
    length = (tip["x"] + tip["width"] / 2 - x) * 2**0.5
    grid = page.locator(".st-key-weight_grid").bounding_box()
    assert grid is not None
    top, bottom, width = plane["y"] - 110, grid["y"] + grid["height"] - 40, WIDE - main["x"]
    clip: Any = {"x": main["x"], "y": top, "width": width, "height": bottom - top}
    size = (SHOWN, round(SHOWN * (bottom - top) / width))
    palette = None
    for frame in range(FRAMES):
        angle = pi / 4 + 0.9 * sin(2 * pi * frame / FRAMES) - 0.25 * (1 - cos(2 * pi * frame / FRAMES))
        page.mouse.move(x + length * cos(angle), y - length * sin(angle))
        if frame == 0:
            page.mouse.down()
        page.wait_for_timeout(REST_MS)
        image = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
        image = image.resize(size, Image.Resampling.LANCZOS)
        palette = palette or image.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
        yield image.quantize(palette=palette, dither=Image.Dither.NONE)
    page.mouse.up()


if __name__ == "__main__":
    main()
