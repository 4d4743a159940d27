"""A disk that takes no more, for tests."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
