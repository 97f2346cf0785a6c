#!/usr/bin/env python3
"""Commits one fault for each sanitizer of the build and checks that the sanitizer reports it.

usage: sanitizers_test.py FAULT_PROGRAM SANITIZERS

SANITIZERS is meson's b_sanitize, for example address,undefined.
"""

import subprocess
import sys

import tap

FAULT, SANITIZERS = sys.argv[1], sys.argv[2].split(",")


def reports(fault, words):
    done = subprocess.run([FAULT, fault], capture_output=True, text=True)
    assert words in done.stderr, (done.returncode, done.stderr)
    assert done.returncode != 0, done.stderr


def a_data_race_is_reported():
    reports("race", "WARNING: ThreadSanitizer: data race")


def a_use_after_free_is_reported():
    reports("use-after-free", "AddressSanitizer: heap-use-after-free")


def a_signed_overflow_is_reported():
    reports("overflow", "signed integer overflow: 2147483647 + 2")


def a_conversion_that_changes_the_value_is_reported():
    reports("conversion", "implicit conversion from type 'int' of value 256")


CASES = {
    "thread": [a_data_race_is_reported],
    "address": [a_use_after_free_is_reported],
    "undefined": [a_signed_overflow_is_reported, a_conversion_that_changes_the_value_is_reported],
}
tap.run([case for name in SANITIZERS for case in CASES[name]])
