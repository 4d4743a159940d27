"""What work costs, as ratios within one run: no clock of another machine is asked."""

import time
from collections.abc import Callable


def cpu_seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU time of this thread that the work took in a few rounds."""
    least = float("inf")
    for _ in range(rounds):
        started = time.thread_time()
        work()
        least = min(least, time.thread_time() - started)
    return max(least, 1e-5)
