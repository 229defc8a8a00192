"""A workshop: `python -m benchmarks.load` prints one JSON object on its last line.

Headless visitors over the real websocket, on the machine that serves them. Each part has a server of its own.

"50", "100", "200"     people, each changing one of the sidebar's controls every 2 s on a chapter drawn at random
"drag_10", "drag_30"   people dragging the query of chapter 3 at once
p50_ms, p95_ms         from sending a change to the end of its answer
per_s                  answers a second, all people together; slowest_per_s, of a drag: the slowest person's own
errors                 answers that did not come within 30 s, or were wrong
cpu                    the server's CPU time as a part of the time: 1 is one core
rss_mib                the server's memory at the end

"arrive_100"           100 first visits within 20 s, each fetching every file that a browser fetches
cpu_s                  the server's CPU time for all of them
p95_ms                 from asking for the first file to the last file and the end of the script

`--only NAME` and `--seconds S` choose a part and its length, `--short` takes a few people and seconds. `--replicas 2`
serves all parts behind deploy/'s nginx. `--soak` prints the memory of ten minutes with 50 people instead.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from random import Random
from statistics import quantiles
from typing import Any
from urllib.parse import urlsplit

from attention_ui import prose
from benchmarks.client import Client, Fetcher, LostError, connected
from benchmarks.hosting import Host, host
from benchmarks.pages import browser
from benchmarks.visitor import Visitor

PERIOD = 2.0  # seconds from one change of a person to the next
TWO_FRAMES = 2 / 60  # seconds that the canvas leaves between an answer and its next question
WITHIN = 20.0  # seconds in which all arrive
SECONDS = 30.0
SOAK = 600.0
CHAPTERS = [chapter for chapter in prose.chapters() if chapter.controls]

Number = float | None


@dataclass
class Room:
    """What happens to all people together: milliseconds of each answer, and what was lost."""

    taken: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    over: bool = False

    def lose(self, error: Exception) -> None:
        """Keep a loss, and tell it."""
        self.lost.append(f"{type(error).__name__}: {error}")
        print(self.lost[-1], file=sys.stderr)

    def percentile(self, percent: int) -> Number:
        """A percentile of the answers' times, or None when there are too few."""
        if len(self.taken) < 2:
            return None
        return round(quantiles(self.taken, n=100, method="inclusive")[percent - 1], 1)


# What a person does, until the room's time is over; returns how many answers came.
Live = Callable[[Client, Random, Room], Coroutine[Any, Any, int]]


async def turn(person: Client, random: Random, room: Room) -> int:
    """Change one of the page's controls every two seconds; after a late answer at once."""
    controls = next(chapter.controls for chapter in CHAPTERS if address(chapter) == person.path)
    due = time.monotonic() + random.random() * PERIOD
    for done in count():
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        if room.over:
            return done
        control = random.choice([name for name in (*controls, "head") if name in person.options])
        others = [option for option in person.options[control] if option != person.chosen(control)]
        await noted(person.choose(control, random.choice(others)), room)
        due = max(due + PERIOD, time.monotonic())
    raise AssertionError


async def drag(person: Client, random: Random, room: Room) -> int:
    """Drag the query about, as fast as answers come."""
    x, y = 1.5, 1.5
    for done in count():
        if room.over:
            return done
        x, y = (min(3.0, max(0.1, at + random.uniform(-0.3, 0.3))) for at in (x, y))
        await noted(person.drag("arrows_ask", "query-5", round(x, 2), round(y, 2), done + 1), room)
        await asyncio.sleep(TWO_FRAMES)
    raise AssertionError


async def noted(answer: Awaitable[float], room: Room) -> None:
    """Wait for an answer and count it; what comes after the end had to come, but does not count."""
    try:
        taken = await answer
    except LostError as error:
        room.lose(error)
    else:
        if not room.over:
            room.taken.append(taken)


def address(chapter: prose.Chapter) -> str:
    """A chapter's place below the app's address."""
    return "" if chapter.slug == prose.HOME else chapter.slug


async def crowd(place: Host, people: int, seconds: float, live: Live) -> dict[str, Any]:
    """Let people in one after the other, then measure what they do together for so long."""
    room, random = Room(), Random(people)
    async with AsyncExitStack() as doors:
        inside = []
        for _ in range(people):
            path = "arrows" if live is drag else address(random.choice(CHAPTERS))
            inside.append(await doors.enter_async_context(connected(place.url, path)))
            await inside[-1].open()
        cpu, start = place.cpu_s(), time.monotonic()
        lives = [asyncio.create_task(live(person, Random(i), room)) for i, person in enumerate(inside)]
        while (left := start + seconds - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 30.0))
            if seconds >= SOAK:
                print(f"{time.monotonic() - start:5.0f} s {place.rss_mib():7.1f} MiB", flush=True)
        cpu, passed = place.cpu_s() - cpu, time.monotonic() - start
        room.over = True
        answers = await asyncio.gather(*lives)
    found = {
        "p50_ms": room.percentile(50),
        "p95_ms": room.percentile(95),
        "per_s": round(len(room.taken) / passed, 1),
        "errors": len(room.lost),
        "cpu": round(cpu / passed, 2),
        "rss_mib": round(place.rss_mib()),
    }
    return found | ({"slowest_per_s": round(min(answers) / passed, 1)} if live is drag else {})


async def arrive(place: Host, people: int, seconds: float, files: Sequence[str]) -> dict[str, Any]:
    """Have people arrive evenly within so long, each with an empty cache."""
    room = Room()

    async def visit(after: float) -> None:
        """Fetch the page, then its files while the script runs."""
        await asyncio.sleep(after)
        start, fetcher = time.perf_counter(), Fetcher(place.url)
        await fetcher.fetch(files[:1])
        async with connected(place.url, cookie=fetcher.cookie) as person:
            await asyncio.gather(fetcher.fetch(files[1:]), person.open())
        room.taken.append(1000 * (time.perf_counter() - start))

    cpu = place.cpu_s()
    visits = (visit(i * seconds / people) for i in range(people))
    for error in await asyncio.gather(*visits, return_exceptions=True):
        if isinstance(error, Exception):
            room.lose(error)
        elif error is not None:
            raise error
    return {"cpu_s": round(place.cpu_s() - cpu, 2), "p95_ms": room.percentile(95), "errors": len(room.lost)}


def browser_files(place: Host) -> list[str]:
    """What a browser with an empty cache fetches for a first visit, in its order."""
    files: list[str] = []
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 1000})
        page.on("request", lambda request: files.append(request.url))
        Visitor(page).visit(f"{place.url}/")
        page.wait_for_load_state("networkidle")
    base = urlsplit(place.url)
    return [url.removeprefix(f"{place.url}/") for url in files if urlsplit(url)[:2] == base[:2]]


def measure(names: Sequence[str], seconds: float, replicas: int | None, short: bool = False) -> dict[str, Any]:
    """Measure the parts of these names; each name ends in the number of its people."""
    found = {}
    for name in names:
        kind, _, number = name.rpartition("_")
        people = min(4, int(number)) if short else int(number)
        with host(replicas or 1) as place:
            print(f"{name}: {people} people at {place.url}", file=sys.stderr)
            if kind == "arrive":
                files = browser_files(place)
                found[name] = asyncio.run(arrive(place, people, 1.0 if short else WITHIN, files))
            else:
                found[name] = asyncio.run(crowd(place, people, seconds, drag if kind == "drag" else turn))
            if found[name]["errors"]:
                print(*(replica.log.read_text("utf-8")[-4000:] for replica in place.replicas), file=sys.stderr)
        print(json.dumps({name: found[name]}), file=sys.stderr)
    return found


NAMES = ("50", "100", "200", "drag_10", "drag_30", "arrive_100")


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", choices=NAMES, help="a part, instead of all")
    parser.add_argument("--seconds", type=float, help=f"the length of a part, {SECONDS:.0f} by default")
    parser.add_argument("--replicas", type=int, help="replicas behind deploy/'s nginx")
    parser.add_argument("--short", action="store_true", help="four people and two seconds a part")
    parser.add_argument("--soak", action="store_true", help="ten minutes of 50 people, memory every half minute")
    asked = parser.parse_args(arguments)
    seconds = asked.seconds or (SOAK if asked.soak else 2.0 if asked.short else SECONDS)
    names = ["50"] if asked.soak else asked.only or NAMES
    print(json.dumps(measure(names, seconds, asked.replicas, asked.short)))


if __name__ == "__main__":
    main(sys.argv[1:])
