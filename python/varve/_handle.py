"""Ownership of the library's handles, and calls that Ctrl-C interrupts."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable, TypeVar

from varve._errors import Error, ErrorCode
from varve._native import VarveError, error_of, library

T = TypeVar("T")

WAIT_SECONDS = 0.05  # between two looks at the progress


def check(done: T, error: VarveError) -> T:
    """Returns the result of a call. Raises its error if that is False or NULL."""
    if not done:
        raise error_of(error)
    return done


class Handle:
    """A trace of the library. Any number of threads use it at a time; it is closed when the last one has finished."""

    def __init__(self, pointer: int) -> None:
        self._pointer = pointer
        self._lock = threading.Lock()
        self._user_count = 0
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def __enter__(self) -> int:
        """Begins a use, and returns the pointer."""
        with self._lock:
            if self._is_closed:
                raise ValueError("the trace is closed")
            self._user_count += 1
        return self._pointer

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._user_count -= 1
            is_last = self._is_closed and self._user_count == 0
        if is_last:
            library.close(self._pointer)

    def close(self) -> None:
        with self._lock:
            is_last = not self._is_closed and self._user_count == 0
            self._is_closed = True
        if is_last:
            library.close(self._pointer)

    def __del__(self) -> None:
        self.close()


def _wait(thread: threading.Thread, progress: int, watch: Callable[[float], object] | None) -> None:
    """Waits until the thread ends. Ends the call in it early when this thread is interrupted, or `watch` raises."""
    try:
        while thread.is_alive():
            thread.join(WAIT_SECONDS)
            share = library.progress_share(progress)
            if watch is not None and share >= 0:
                watch(share)
    except BaseException:
        library.progress_cancel(progress)
        thread.join()
        raise


def interruptible(call: Callable[[int], T], watch: Callable[[float], object] | None = None, drop: Callable[[T], object] | None = None) -> T:
    """Returns call(progress). In the main thread, or with `watch`, the call has a thread of its own, so that Ctrl-C ends it.

    watch: receives the finished share of the call's current phase, 0 to 1, some times a second; an exception ends the call.
    drop: releases a result that the call returned although it was cancelled.
    """
    progress = library.progress_open()
    if progress is None:
        raise Error(ErrorCode.MEMORY, "out of memory")
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call(progress))
        except BaseException as failure:
            failures.append(failure)

    try:
        if watch is None and threading.current_thread() is not threading.main_thread():
            return call(progress)
        thread = threading.Thread(target=run, name="varve")
        thread.start()
        try:
            _wait(thread, progress, watch)
        except BaseException:
            for result in results:
                if drop is not None:
                    drop(result)
            raise
        if failures:
            raise failures[0]
        return results[0]
    finally:
        library.progress_close(progress)


def pointers(handles: list[int]) -> Any:
    """An array of handles."""
    return (ctypes.c_void_p * len(handles))(*handles)
