"""What the joined house makes of profiles: a key that was learned late is as secret as any."""

import sys
from pathlib import Path

import pytest

from agent_lsp.app import Hall, Start
from agent_lsp.domain.errors import ModelFault
from agent_lsp.domain.requests import ProfileRow
from agent_lsp.workspace.opened import NoDocuments
from support.models import events_of

RING = "def get_password(service, name): return 'open-sesame-' + name\n"
SETTINGS = {
    "providers": {
        "work": {"type": "openai", "model": "m", "apiKey": "$KEYRING:work", "baseURL": "http://127.0.0.1:1/v1"}
    }
}


async def test_key_out_of_the_ring_is_taken_out_of_all_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keyring.py").write_text(RING)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "keyring", raising=False)
    environment = {"AGENT_LSP_STATE": str(tmp_path / "state"), "AGENT_LSP_HOME": str(tmp_path / "home")}
    hall = Hall(Start(NoDocuments(), environment, command_line=SETTINGS))
    _, model = hall._house.models.model("work")
    before = hall.redacted("it is open-sesame-work")

    with pytest.raises(ModelFault, match="connection"):
        await events_of(model)
    hall.configure({"sandbox": "auto"})

    assert (before, hall.redacted("it is open-sesame-work")) == ("it is open-sesame-work", "it is [secret]")
    assert hall.profiles(None).profiles == (ProfileRow("work", "openai", "m", is_current=True),)
    await hall.close()
