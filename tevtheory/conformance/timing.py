"""A time limit per call of a verifier, so that one that never returns is a finding and not a hang."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from tevtheory.errors import ContractError

Result = TypeVar("Result")


class _OutOfTime(BaseException):
    """A call has run too long. No Exception, so that the verifier cannot catch it by accident."""


def _ring(*_: Any) -> None:
    raise _OutOfTime


def _can_ring(seconds: float | None) -> bool:
    """Whether there is a limit, and an alarm to keep it: not in threads, not on Windows."""
    in_main = threading.current_thread() is threading.main_thread()
    return seconds is not None and in_main and hasattr(signal, "setitimer")


def timed(call: Callable[..., Result], seconds: float | None) -> Callable[..., Result]:
    """The call under an alarm; without a limit, or where there is no alarm (threads, Windows), the call itself."""
    if seconds is None or not _can_ring(seconds):
        return call
    limit = seconds

    def run(*arguments: Any) -> Result:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            return call(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    return run


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """Turn the alarm of a timed call into a ContractError of check "time".

    >>> import time
    >>> with alarm(0.01):
    ...     timed(time.sleep, 0.01)(5)
    Traceback (most recent call last):
    tevtheory.errors.ContractError: a call did not return within 0.01 s
    """
    before = signal.signal(signal.SIGALRM, _ring) if _can_ring(seconds) else None
    try:
        yield
    except _OutOfTime:
        raise ContractError(f"a call did not return within {seconds:g} s", check="time") from None
    finally:
        if before is not None:
            signal.signal(signal.SIGALRM, before)
