"""Settings from all their sources: later ones win, faults cost only themselves, a project only makes things stricter."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as unhurried
from hypothesis import strategies as st

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.status import PermissionMode
from agent_lsp.settings.model import Settings
from agent_lsp.settings.restraint import _RULES
from agent_lsp.settings.sources import LARGEST_FILE, SettingsRead, read_settings


class Place:
    """A home and a project whose settings files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.other = folder / "home", folder / "project", folder / "other"
        for each in (self.home, self.root / ".agent-lsp", self.other / ".agent-lsp"):
            each.mkdir(parents=True)
        self.user_file = self.home / "settings.json"
        self.project_file = self.root / ".agent-lsp" / "settings.json"

    def read(
        self,
        user: object = None,
        project: object = None,
        editor: Json | None = None,
        *,
        is_trusted: bool = False,
        **more: Any,
    ) -> SettingsRead:
        for file, content in ((self.user_file, user), (self.project_file, project)):
            if content is not None:
                file.write_text(json.dumps(content))
        return read_settings(
            home=self.home,
            roots=[self.root, self.other],
            editor=editor,
            command_line=more.get("command_line"),
            is_trusted=lambda root, _digest: is_trusted and root == str(self.root),
        )


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def value(settings: Settings, path: str) -> object:
    found: object = settings.model_dump(by_alias=True)
    for key in path.split("."):
        assert isinstance(found, dict)
        found = found[key]
    return list(found) if isinstance(found, tuple) else found


def nested(path: str, leaf: object) -> Json:
    for key in reversed(path.split(".")):
        leaf = {key: leaf}
    assert isinstance(leaf, dict)
    return leaf


def test_without_any_source_the_defaults_hold(place: Place) -> None:
    assert place.read() == SettingsRead(Settings(), ())


def test_later_sources_win(place: Place) -> None:
    layers = [{"fuzzyThreshold": 0.5}, {"fuzzyThreshold": 0.6}, {"fuzzyThreshold": 0.7}]
    command_line = {"fuzzyThreshold": 0.8}

    assert place.read(layers[0]).settings.fuzzy_threshold == 0.5
    assert place.read(*layers[:2]).settings.fuzzy_threshold == 0.6
    assert place.read(*layers).settings.fuzzy_threshold == 0.7
    assert place.read(*layers, command_line=command_line).settings.fuzzy_threshold == 0.8


def test_objects_are_joined_and_lists_replaced(place: Place) -> None:
    user = {"providers": {"work": {"type": "openai", "model": "a"}}, "allowedCommands": ["ls", "pwd"]}
    editor = {"providers": {"work": {"model": "b"}, "home": {"type": "replay"}}, "allowedCommands": ["git status"]}

    settings = place.read(user, editor=editor).settings

    assert {name: (p.type, p.model) for name, p in settings.providers.items()} == {
        "work": ("openai", "b"),
        "home": ("replay", ""),
    }
    assert settings.allowed_commands == ("git status",)


def test_names_in_snake_case_are_the_same_settings(place: Place) -> None:
    settings = place.read({"permission_mode": "plan"}, editor={"permissionMode": "default"}).settings

    assert settings.permission_mode is PermissionMode.DEFAULT


@pytest.mark.parametrize(
    ("layer", "remark"),
    [
        ({"permisionMode": "plan"}, "there is no setting `permisionMode`; it is ignored."),
        ({"autoApprove": {"reed": True}}, "there is no setting `autoApprove.reed`; it is ignored."),
        ({"providers": {"w": {"color": 1}}}, "there is no setting `providers.w.color`; it is ignored."),
        ({"a\nb": 1}, "there is no setting `a?b`; it is ignored."),
        ({"k" * 200: 1}, f"there is no setting `{'k' * 100}…`; it is ignored."),
        (
            {"closedFiles": "never"},
            "`closedFiles` is ignored: Input should be 'auto', 'editor' or 'disk'.",
        ),
        ({"limits": {"cost": -1}}, "`limits.cost` is ignored: Input should be greater than or equal to 0."),
        ({"allowedCommands": ["ls", 7]}, "`allowedCommands.1` is ignored: Input should be a valid string."),
        ({"autoApprove": 3}, "`autoApprove` is ignored: Input should be an object."),
        (
            {"providers": {"w": {"prices": {}}}},
            "`providers.w.prices.input` is ignored: Field required.",
        ),
    ],
)
def test_fault_is_named_with_source_and_key(place: Place, layer: Json, remark: str) -> None:
    read = place.read(layer)

    assert read.remarks[0] == f"{place.user_file}: {remark}"
    assert place.read(editor=layer).remarks[-1].startswith("The editor's settings: ")


def test_fault_costs_nothing_but_itself(place: Place) -> None:
    layer = {
        "nonsense": 1,
        "fuzzyThreshold": 7,
        "allowedCommands": [1, "ls", 2, "pwd"],
        "providers": {"w": {"type": "openai", "window": "wide", "prices": {}, "model": "m"}},
        "permissionMode": "plan",
    }

    settings = place.read({"fuzzyThreshold": 0.9}, editor=layer).settings

    assert settings.fuzzy_threshold == 0.9
    assert settings.allowed_commands == ("ls", "pwd")
    assert settings.providers["w"].model_dump(exclude_unset=True) == {"type": "openai", "model": "m"}
    assert settings.permission_mode is PermissionMode.PLAN


def test_many_faults_are_not_all_told(place: Place) -> None:
    remarks = place.read({f"key{number}": 1 for number in range(50)}).remarks

    assert len(remarks) == 21
    assert remarks[-1] == f"{place.user_file}: 30 more settings are ignored."


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b'{\n  "limits": {},,\n}',
            "line 2, column 16 is not JSON (Expecting property name enclosed in double quotes)",
        ),
        (b"", "line 1, column 1 is not JSON (Expecting value)"),
        (b"[]", "it does not hold an object in braces"),
        (b'{"a": "\xff"}', "it is not UTF-8 text"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "it is nested too deeply"),
        (b" " * (LARGEST_FILE + 1), "it is larger than 1000000 bytes"),
    ],
)
def test_file_that_cannot_be_read_is_remarked_upon(place: Place, content: bytes, reason: str) -> None:
    for file in (place.user_file, place.project_file):
        file.write_bytes(content)

    assert place.read() == SettingsRead(
        Settings(), tuple(f"{file}: all of it is ignored: {reason}." for file in (place.user_file, place.project_file))
    )


def test_file_may_begin_with_a_byte_order_mark(place: Place) -> None:
    place.user_file.write_bytes(b"\xef\xbb\xbf" + b'{"sandbox": "require"}')

    assert place.read().settings.sandbox == "require"


def test_only_files_are_read(place: Place) -> None:
    os.mkfifo(place.project_file)  # Reading it would wait for ever.
    place.user_file.mkdir()

    assert place.read().remarks == (
        f"{place.user_file}: all of it is ignored: it is not a file.",
        f"{place.project_file}: all of it is ignored: it is not a file.",
    )


MODES = ["plan", "default", "acceptEdits", "bypassPermissions"]
SANDBOX = ["require", "auto", "off"]
SWITCHES = [
    f"autoApprove.{name}"
    for name in ("read", "readOutsideWorkspace", "write", "execute", "mcp", "browser", "modeSwitch", "subtasks")
] + ["fetchPrivateAddresses"]


def wishes() -> Iterator[tuple[str, object, object, bool]]:
    """A setting, the user's value, the project's, and whether the project has its way."""
    for path, order in (("permissionMode", MODES), ("sandbox", SANDBOX)):
        for user in order:
            yield from ((path, user, wish, order.index(wish) <= order.index(user)) for wish in order)
    for path in SWITCHES:
        yield from ((path, user, wish, user or not wish) for user in (True, False) for wish in (True, False))
    for path in ("limits.requests", "limits.consecutiveMistakes", "limits.commandSeconds", "limits.cost"):
        yield from [
            (path, 5, 4, True),
            (path, 5, 6, False),
            (path, 5, 0, False),
            (path, 0, 6, True),
            (path, 0, 0, True),
        ]
    path = "autoApprove.followupSeconds"
    yield from [(path, 0, 9, False), (path, 9, 0, True), (path, 9, 8, False), (path, 9, 10, True)]
    for path in ("allowedCommands", "autoApprove.writeOutsideWorkspace"):
        yield from [(path, ["a", "b"], ["b"], True), (path, ["a"], [], True), (path, ["a"], ["a", "c"], False)]
    yield from [("fuzzyThreshold", 0.8, 0.9, True), ("fuzzyThreshold", 0.8, 0.7, False)]
    yield ("closedFiles", "auto", "disk", True)
    yield from [("language", "", "Deutsch", True), ("language", "Deutsch", "English", False)]
    yield from [("currentProvider", "work", "work", True), ("currentProvider", "work", "evil", False)]


@pytest.mark.parametrize(("path", "user", "wish", "is_granted"), list(wishes()))
def test_project_makes_things_stricter_and_never_looser(
    place: Place, path: str, user: object, wish: object, is_granted: bool
) -> None:
    read = place.read(nested(path, user), nested(path, wish))

    remark = f"{place.project_file}: `{path}` is ignored: only a folder that you trust may set it so."
    assert value(read.settings, path) == (wish if is_granted else user)
    assert read.remarks == (() if is_granted else (remark,))


@pytest.mark.parametrize(("path", "user", "wish", "is_granted"), list(wishes()))
def test_trusted_project_has_its_way(place: Place, path: str, user: object, wish: object, is_granted: bool) -> None:
    read = place.read(nested(path, user), nested(path, wish), is_trusted=True)

    assert (value(read.settings, path), read.remarks) == (wish, ())


@pytest.mark.parametrize("is_trusted", [True, False])
def test_project_adds_to_what_is_denied(place: Place, is_trusted: bool) -> None:
    read = place.read({"deniedCommands": ["rm"]}, {"deniedCommands": ["curl", "rm"]}, is_trusted=is_trusted)

    assert (read.settings.denied_commands, read.remarks) == (("rm", "curl"), ())


@pytest.mark.parametrize(
    "profile", [{"baseURL": "http://evil"}, {"apiKey": "$ENV:HOME"}, {"headers": {"x": "y"}}, {"model": "dear"}]
)
def test_project_cannot_touch_profiles(place: Place, profile: Json) -> None:
    user = {"providers": {"work": {"type": "openai", "apiKey": "k", "baseURL": "http://mine"}}}

    read = place.read(user, {"providers": {"work": profile, "new": profile}})

    assert read.settings == place.read(user, {}).settings
    assert len(read.remarks) == 1


def test_projects_restrain_one_another(place: Place) -> None:
    (place.other / ".agent-lsp" / "settings.json").write_text(
        '{"permissionMode": "default", "limits": {"requests": 9}}'
    )

    read = place.read(project={"permissionMode": "plan", "limits": {"requests": 5}})

    assert (read.settings.permission_mode, read.settings.limits.requests) == (PermissionMode.PLAN, 5)
    assert len(read.remarks) == 2


def test_editor_has_the_last_word_over_a_project(place: Place) -> None:
    settings = place.read(project={"permissionMode": "plan"}, editor={"permissionMode": "acceptEdits"}).settings

    assert settings.permission_mode is PermissionMode.ACCEPT_EDITS


BAD_VALUES = {
    "permissionMode": ["all", "", 1, ["plan"], "Plan"],
    "autoApprove.read": ["perhaps", 2, [], {}],
    "autoApprove.writeOutsideWorkspace": ["/notes", 7, {}, [7]],
    "autoApprove.followupSeconds": [-1, 0.5, "soon", "1e400"],
    "limits.requests": [-1, 1.5, "many", [1]],
    "limits.cost": [-0.1, float("nan"), float("inf"), "dear"],
    "limits.consecutiveMistakes": [-1, "three"],
    "limits.commandSeconds": [-5, 2.5],
    "fuzzyThreshold": [0, -1, 1.01, float("nan"), "high"],
    "closedFiles": ["sometimes", True],
    "language": [7, "x" * 61],
    "fetchPrivateAddresses": ["perhaps", 2],
    "sandbox": ["on", "maybe", 0],
    "allowedCommands": ["git", 7, {}],
    "deniedCommands": ["rm", True],
    "currentProvider": [7, ["work"], {}],
    "providers": [[], "work", 7],
    "providers.w.window": [0, -1, "wide", 1.5],
    "providers.w.maxOutput": [0, -1],
    "providers.w.thinkingBudget": [-1],
    "providers.w.transport": ["carrier pigeon"],
    "providers.w.headers": [["a"], {"a": 1}],
    "providers.w.firstByteSeconds": [0, -1, float("inf")],
    "providers.w.betweenBytesSeconds": [0, float("nan")],
    "providers.w.prices": [{"input": -1, "output": 1}, {"input": float("nan"), "output": 1}, 7],
}


@pytest.mark.parametrize(("path", "bad"), [(path, bad) for path, values in BAD_VALUES.items() for bad in values])
def test_bad_value_is_remarked_upon_and_leaves_the_one_below_it_standing(place: Place, path: str, bad: object) -> None:
    good = {"providers": {"w": {"type": "openai"}}, "permissionMode": "plan", "limits": {"cost": 2}}

    read = place.read(good, editor=nested(path, bad))

    assert read.settings.model_dump(exclude={"providers"}) == place.read(good).settings.model_dump(
        exclude={"providers"}
    )
    assert read.settings.providers["w"].type == "openai"
    assert len(read.remarks) >= 1
    assert all(path.partition(".")[0] in remark for remark in read.remarks)


def test_what_a_folder_asks_for_is_told_and_named(place: Place) -> None:
    wish = {
        "permissionMode": "acceptEdits",
        "limits": {"requests": 5},
        "autoApprove": {"execute": True},
        "providers": {
            "w": {"baseURL": "http://evil", "apiKey": "secret", "headers": {"x": "secret", "y": "$ENV:AWS_KEY"}},
            "v": {"apiKey": "$KEYRING:work"},
        },
        "allowedCommands": ["ls", "*"],
    }

    (found,) = place.read(project=wish).wishes

    assert found.root == str(place.root)
    assert len(found.digest) == 64
    assert found.asks == (
        "providers.w.apiKey = …",
        'providers.w.baseURL = "http://evil"',
        "providers.w.headers.x = …",
        'providers.w.headers.y = "$ENV:AWS_KEY"',
        'providers.v.apiKey = "$KEYRING:work"',
        'permissionMode = "acceptEdits"',
        "autoApprove.execute = true",
        'allowedCommands[0] = "ls"',
        'allowedCommands[1] = "*"',
    )


def test_a_folder_that_only_tightens_asks_for_nothing(place: Place) -> None:
    assert place.read(project={"permissionMode": "plan", "deniedCommands": ["rm"]}).wishes == ()


def test_trust_holds_for_what_was_asked_and_nothing_else(place: Place) -> None:
    (asked,) = place.read(project={"permissionMode": "acceptEdits"}).wishes
    seen: list[tuple[str, str]] = []

    def is_trusted(root: str, digest: str) -> bool:
        seen.append((root, digest))
        return (root, digest) == (asked.root, asked.digest)

    def mode(project: Json) -> PermissionMode:
        place.project_file.write_text(json.dumps(project, indent=3))
        return read_settings(
            home=place.home, roots=[place.root], editor=None, command_line=None, is_trusted=is_trusted
        ).settings.permission_mode

    assert mode({"permissionMode": "acceptEdits"}) is PermissionMode.ACCEPT_EDITS
    assert mode({"permissionMode": "bypassPermissions"}) is PermissionMode.DEFAULT
    assert mode({"permissionMode": "acceptEdits", "closedFiles": "disk"}) is PermissionMode.DEFAULT
    assert len(set(seen)) == 3


def test_trust_ends_where_the_users_own_settings_make_the_folder_ask_for_more(place: Place) -> None:
    wish = {"permissionMode": "acceptEdits", "sandbox": "off"}
    (before,) = place.read({"sandbox": "off"}, wish).wishes

    (after,) = place.read({"sandbox": "auto"}, wish).wishes

    assert set(after.asks) - set(before.asks) == {'sandbox = "off"'}
    assert after.digest != before.digest


def test_a_folder_is_known_by_its_real_path(place: Place, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(place.root)
    place.project_file.write_text('{"permissionMode": "acceptEdits"}')

    read = read_settings(
        home=place.home, roots=[tmp_path / "link"], editor=None, command_line=None, is_trusted=lambda *_: False
    )

    assert [wish.root for wish in read.wishes] == [str(place.root)]


def test_what_is_told_of_wishes_is_plain(place: Place) -> None:
    (found,) = place.read(project={"providers": {"p\u202e\n": {"model": "\u202e\n"}}}).wishes

    assert found.asks == (r'providers.p??.model = "\u202e\n"',)


@pytest.mark.parametrize("commands", [[f"tool{number}" for number in range(201)], ["ls " + "x" * 1000]])
def test_what_nobody_would_read_to_its_end_is_not_granted_whoever_trusts_it(place: Place, commands: list[str]) -> None:
    wish = {"permissionMode": "plan", "allowedCommands": [*commands, "*"]}

    read = place.read(project=wish, is_trusted=True)

    assert (read.wishes, read.settings.allowed_commands) == ((), ())
    assert read.settings.permission_mode is PermissionMode.PLAN
    assert read.remarks == (f"{place.project_file}: it asks for more than can be shown, and gets nothing of it.",)


def leaves(layer: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    for key, item in layer.items():
        if isinstance(item, dict) and item:
            yield from leaves(item, f"{prefix}{key}.")
        else:
            yield prefix + key


def test_every_setting_has_a_rule_or_is_the_users_alone() -> None:
    settings = set(leaves(Settings().model_dump(by_alias=True)))

    alone = {"currentProvider", "providers", "prices", "mode", "modeProfiles", "condense.atPercent"}
    assert settings - set(_RULES) == alone
    assert set(_RULES) <= settings


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(
    {key for path in _RULES for key in path.split(".")} | {"providers", "currentProvider", "prices", "window"}
)
LAYERS = st.recursive(
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner | JSON, max_size=4),
    max_leaves=6,
)


@unhurried(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(user=LAYERS, project=LAYERS, editor=LAYERS)
def test_nothing_that_is_given_makes_reading_fail(
    tmp_path_factory: pytest.TempPathFactory, user: Json, project: Json, editor: Json
) -> None:
    place = Place(tmp_path_factory.mktemp("place"))

    read = place.read(user, project, editor)

    assert isinstance(read.settings, Settings)
    assert all(remark.endswith(".") and "\n" not in remark for remark in read.remarks)
