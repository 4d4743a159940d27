from pathlib import Path

import pytest
from workspace_editor import FakeEditor
from workspace_garden import Garden


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "W"
    root.mkdir()
    return root


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


@pytest.fixture
def garden(root: Path, editor: FakeEditor) -> Garden:
    return Garden(root, editor)
