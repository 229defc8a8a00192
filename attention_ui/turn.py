"""Visitors' scripts take turns, each from its start to its end.

They share one interpreter lock in any case. A hundred at once, each halted for another every 5 ms, get 26 changes a
second out of one core; one after the other they get 32 to 38 (benchmarks.load, 100 people).
"""

from threading import Semaphore

TURN = Semaphore(1)  # it serves who has waited longest, which a Lock does not promise
