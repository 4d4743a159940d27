"""What the README says can be done as it says."""

import json
import re
import shlex
from pathlib import Path

import pytest

from agent_lsp.cli import _parser
from agent_lsp.domain.encoding import Json
from agent_lsp.domain.status import PermissionMode
from agent_lsp.headless.options import OutputFormat
from agent_lsp.providers.build import build_model
from agent_lsp.providers.definitions import TYPES
from agent_lsp.settings.profiles import profile
from agent_lsp.settings.sources import read_settings

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL)]
COMMANDS = [line for line in README.splitlines() if re.match(r"agent-lsp (run|configure|providers|--)", line)]


def never(_root: str, _digest: str) -> bool:
    return False


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["currentProvider"])
async def test_settings_of_the_readme_make_a_model(example: Json, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text('{"recording": 1, "model": "m", "window": 0, "pace": 0}\n')
    read = read_settings(home=tmp_path, roots=(), editor=example, command_line=None, is_trusted=never)
    name, chosen = profile(read.settings)
    if chosen.file:
        chosen = chosen.model_copy(update={"file": str(tmp_path / chosen.file)})

    model = build_model(chosen, name=name, environment={"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"})

    assert (read.remarks, chosen.model in ("", model.facts.name)) == ((), True)
    assert model.facts.window or chosen.type == "replay"
    await model.aclose()


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_readme_are_understood(line: str) -> None:
    words = shlex.split(line.partition(" < ")[0])

    assert _parser().parse_args(words[1:])


def test_readme_names_every_type_of_provider() -> None:
    assert [known.name for known in TYPES if f"`{known.name}`" not in README] == []


def test_readme_names_every_output_format_and_permission_mode() -> None:
    rows = set(re.findall(r"^\| `([\w-]+)` \|", README, re.MULTILINE))

    assert rows == {each.value for each in (*OutputFormat, *PermissionMode)}
