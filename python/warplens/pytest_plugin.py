"""The pytest plugin: the fixture `assert_kernel`, and `--warplens-captures FOLDER`, where captures of failures go."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of ours."""
    parser.getgroup("warplens").addoption(
        "--warplens-captures", metavar="FOLDER", help="keep the capture of each assert_kernel that fails there")


@pytest.fixture
def assert_kernel(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """warplens.assert_kernel, which keeps the capture of a failure where --warplens-captures says."""
    from .testing import Failure, assert_kernel as plain

    folder = request.config.getoption("--warplens-captures")

    def asserting(*words: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        try:
            return plain(*words, **options)
        except Failure as failure:
            if folder:
                Path(folder).mkdir(parents=True, exist_ok=True)
                name = re.sub(r"[^\w.-]+", "_", request.node.name)
                raise Failure(f"{failure}\ncapture: {failure.result.save(Path(folder, name + '.wlcap'))}",
                              failure.result) from None
            raise

    return asserting
