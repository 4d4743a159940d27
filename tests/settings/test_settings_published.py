"""What editors show of the settings is what the server takes."""

import json
from pathlib import Path

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.model import Settings
from agent_lsp.settings.published import editor_settings

PACKAGE = Path(__file__).parents[2] / "editors" / "vscode" / "package.json"
OWN = "agentLsp."


def nested(rows: dict[str, Json]) -> Json:
    tree: Json = {}
    for name, value in rows.items():
        *path, last = name.split(".")[1:]
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    return tree


def test_defaults_that_are_shown_are_those_that_hold() -> None:
    shown = {name: row["default"] for name, row in editor_settings().items() if "default" in row}

    assert Settings.model_validate(nested(shown)) == Settings()


def test_every_setting_is_shown_with_words_and_without_references() -> None:
    rows = editor_settings()

    assert {name.split(".")[1] for name in rows} == {field.alias for field in Settings.model_fields.values()}
    assert [name for name, row in rows.items() if not row.get("markdownDescription")] == []
    assert "$ref" not in json.dumps(rows)


def test_no_folder_can_set_them_for_the_user() -> None:
    assert {row["scope"] for row in editor_settings().values()} == {"machine"}


def test_the_extension_shows_these_settings() -> None:
    properties = json.loads(PACKAGE.read_text(encoding="utf-8"))["contributes"]["configuration"]["properties"]

    assert {name: row for name, row in properties.items() if not name.startswith(OWN)} == editor_settings()
