"""apitrace captures as files."""

import pytest
import varve

from conftest import ROOT

CAPTURE = ROOT / "test/data/apitrace/groups_threads.trace"


def test_frames_have_the_calls_of_the_tables():
    frames, fault = varve.capture_frames(CAPTURE)
    with varve.open(CAPTURE) as trace:
        calls, rows = list(trace.table("call")), list(trace.table("frame"))
    assert fault is None and len(rows) == len(frames) > 0 and len(calls) > 0
    assert [frame.index for frame in frames] == list(range(len(frames))) and all(sum(frame.families.values()) == frame.call_count for frame in frames)
    assert varve.capture_frames(CAPTURE, threads=2)[0] == frames


def test_the_axis_by_calls():
    with varve.open(CAPTURE) as events, varve.open(CAPTURE, axis="calls") as calls:
        assert not calls.summary.has_time and calls.summary.duration_ns < events.summary.duration_ns


def test_a_damaged_capture_has_a_fault(tmp_path):
    cut = tmp_path / "cut.trace"
    cut.write_bytes(CAPTURE.read_bytes()[:-3])
    frames, fault = varve.capture_frames(cut)
    assert fault.code == varve.ErrorCode.TRUNCATED and fault.byte_offset is not None
    assert varve.capture_trim(cut, tmp_path / "part.trace").code == fault.code
    assert varve.capture_diff(cut, CAPTURE).faults[0].code == fault.code
    with pytest.raises(varve.Error) as missing:
        varve.capture_frames(tmp_path / "none")
    assert missing.value.code == varve.ErrorCode.INPUT


def test_parts_and_other_compressions_are_captures(tmp_path):
    part, packed = tmp_path / "part.trace", tmp_path / "packed.trace"
    assert varve.capture_trim(CAPTURE, part, calls="0-1") is None
    assert sum(frame.call_count for frame in varve.capture_frames(part)[0]) == 2
    assert varve.capture_repack(CAPTURE, packed, "zstd", level=3) is None
    assert packed.read_bytes() != CAPTURE.read_bytes()
    same = varve.capture_diff(CAPTURE, packed)
    assert same == varve.CallDiff(0, [], (None, None))
    other = varve.capture_diff(CAPTURE, part, all_calls=True)
    assert other.differing_count == sum(mark in "-+" for mark, _ in other.lines) > 0 and other.lines[0][0] == "@"
    with pytest.raises(varve.Error) as wrong:
        varve.capture_trim(CAPTURE, part, calls="x-y")
    assert wrong.value.code == varve.ErrorCode.USAGE
    with pytest.raises(ValueError):
        varve.capture_repack(CAPTURE, packed, "lzma")
