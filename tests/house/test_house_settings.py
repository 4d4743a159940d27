"""docs/settings.md, held to the model of the settings."""

import json
import re

from source_tree import page, section, table_rows

from agent_lsp.domain.encoding import Json
from agent_lsp.settings.model import Profile
from agent_lsp.settings.published import PREFIX, editor_settings

SETTINGS = page("settings.md")


def row_of(name: str, setting: Json) -> list[str]:
    default = f"`{json.dumps(setting['default'])}`" if "default" in setting else ""
    return [f"`{name.removeprefix(PREFIX)}`", default, setting["markdownDescription"]]


def test_page_has_every_setting_with_what_holds_if_it_is_left_out() -> None:
    rows = table_rows(section(SETTINGS, "All settings"))

    assert rows == [row_of(name, setting) for name, setting in editor_settings().items()]


def test_page_has_every_field_of_a_profile() -> None:
    told = [name for row in table_rows(section(SETTINGS, "Profiles")) for name in re.findall(r"`(\w+)`", row[0])]

    assert sorted(told) == sorted(field.alias or name for name, field in Profile.model_fields.items())
