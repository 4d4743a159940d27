"""Settings that change while they are in use, and folders that the user comes to trust."""

import json
from pathlib import Path

import pytest

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.status import PermissionMode
from agent_lsp.domain.trust import Trust
from agent_lsp.settings.live import LiveSettings
from agent_lsp.settings.trusting import FolderTrusting
from agent_lsp.storage.entries import EntryFile
from agent_lsp.storage.trust import TrustStore, trust_file

BOLD: Json = {"permissionMode": "acceptEdits"}


class Site:
    """A home, a project, and the settings of a server there."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.state = folder / "home", folder / "project", folder / "state"
        for each in (self.home, self.root / ".agent-lsp"):
            each.mkdir(parents=True)
        self.store = TrustStore(EntryFile(trust_file(self.state)))
        self.live = self.opened()
        self.trusting = FolderTrusting(self.live, self.store)
        self.readings = 0
        self.live.on_read.append(self._count)

    def opened(self) -> LiveSettings:
        return LiveSettings(
            self.home,
            [self.root],
            None,
            lambda root, digest: self.store.decision(root, digest) is Trust.TRUSTED,
            trust_file(self.state),
        )

    def user(self, settings: Json) -> None:
        (self.home / "settings.json").write_text(json.dumps(settings))

    def project(self, settings: Json) -> None:
        (self.root / ".agent-lsp" / "settings.json").write_text(json.dumps(settings))

    @property
    def mode(self) -> PermissionMode:
        return self.live.current().permission_mode

    def _count(self) -> None:
        self.readings += 1


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_files_that_stay_as_they_are_are_not_read_again(site: Site) -> None:
    for _ in range(3):
        site.live.current()

    assert site.readings == 0


def test_a_changed_file_holds_at_the_next_question(site: Site) -> None:
    site.user({"permissionMode": "plan"})
    assert site.mode is PermissionMode.PLAN

    site.user({"permissionMode": "acceptEdits"})
    assert site.mode is PermissionMode.ACCEPT_EDITS

    (site.home / "settings.json").unlink()
    assert (site.mode, site.readings) == (PermissionMode.DEFAULT, 3)


def test_a_project_that_tightens_does_so_at_once(site: Site) -> None:
    site.user(BOLD)
    assert site.mode is PermissionMode.ACCEPT_EDITS

    site.project({"permissionMode": "plan"})

    assert site.mode is PermissionMode.PLAN


def test_a_file_that_breaks_leaves_the_other_sources_and_says_so(site: Site) -> None:
    site.live.configure({"fuzzyThreshold": 0.9})
    site.user({"permissionMode": "plan"})
    assert site.mode is PermissionMode.PLAN

    (site.home / "settings.json").write_text("{")

    assert (site.mode, site.live.current().fuzzy_threshold) == (PermissionMode.DEFAULT, 0.9)
    assert len(site.live.read.remarks) == 1


def test_roots_and_the_editors_settings_are_taken_whole(site: Site, tmp_path: Path) -> None:
    site.project({"permissionMode": "plan"})
    site.live.configure({"limits": {"requests": 3}})
    site.live.configure({"limits": {"cost": 2}})
    site.live.set_roots([tmp_path])

    settings = site.live.current()

    assert (settings.limits.requests, settings.limits.cost) == (0, 2)
    assert settings.permission_mode is PermissionMode.DEFAULT


async def test_a_trusted_folder_has_its_way_here_and_in_the_next_server(site: Site) -> None:
    site.project(BOLD)
    assert site.mode is PermissionMode.DEFAULT
    (folder,) = site.trusting.listed().folders

    after = await site.trusting.decide(folder.root, folder.digest, is_trusted=True)

    assert (folder.trust, after.folders[0].trust) == (Trust.UNDECIDED, Trust.TRUSTED)
    assert site.mode is site.opened().current().permission_mode is PermissionMode.ACCEPT_EDITS
    assert site.live.read.remarks == ()


async def test_a_declined_folder_keeps_nothing_but_the_answer(site: Site) -> None:
    site.project(BOLD)
    (folder,) = site.trusting.listed().folders

    after = await site.trusting.decide(folder.root, folder.digest, is_trusted=False)

    assert (after.folders[0].trust, site.mode) == (Trust.DECLINED, PermissionMode.DEFAULT)


async def test_a_trusted_folder_that_asks_for_something_else_is_undecided(site: Site) -> None:
    site.project(BOLD)
    (folder,) = site.trusting.listed().folders
    await site.trusting.decide(folder.root, folder.digest, is_trusted=True)

    site.project(BOLD | {"sandbox": "off"})

    assert [each.trust for each in site.trusting.listed().folders] == [Trust.UNDECIDED]
    assert (site.mode, site.live.current().sandbox) == (PermissionMode.DEFAULT, "auto")


async def test_going_back_to_what_was_trusted_is_trusted(site: Site) -> None:
    site.project(BOLD)
    (folder,) = site.trusting.listed().folders
    await site.trusting.decide(folder.root, folder.digest, is_trusted=True)
    site.project(BOLD | {"sandbox": "off"})
    assert site.mode is PermissionMode.DEFAULT

    site.project(BOLD)

    assert site.mode is PermissionMode.ACCEPT_EDITS


async def test_only_what_was_seen_can_be_decided_about(site: Site) -> None:
    site.project(BOLD)
    (seen,) = site.trusting.listed().folders
    site.project({"permissionMode": "bypassPermissions"})
    site.live.current()

    for root, digest in ((seen.root, seen.digest), ("/elsewhere", seen.digest)):
        with pytest.raises(BadParams, match="asks for something else"):
            await site.trusting.decide(root, digest, is_trusted=True)

    assert site.store.listed() == ()


async def test_what_is_forgotten_is_undecided_again(site: Site) -> None:
    site.project(BOLD)
    (folder,) = site.trusting.listed().folders
    await site.trusting.decide(folder.root, folder.digest, is_trusted=True)

    after = await site.trusting.forget(folder.root)

    assert (after.folders[0].trust, site.mode) == (Trust.UNDECIDED, PermissionMode.DEFAULT)
    with pytest.raises(BadParams):
        await site.trusting.forget(folder.root)


def test_what_another_program_decides_about_a_folder_holds_at_once(site: Site) -> None:
    site.project(BOLD)
    (folder,) = site.trusting.listed().folders
    terminal = TrustStore(EntryFile(trust_file(site.state)))

    terminal.decide(folder.root, folder.digest, Trust.TRUSTED)
    assert site.mode is PermissionMode.ACCEPT_EDITS

    terminal.forget(folder.root)
    assert site.mode is PermissionMode.DEFAULT


def test_trust_that_is_not_understood_counts_for_nothing(site: Site) -> None:
    site.project(BOLD)
    site.state.mkdir()
    trust_file(site.state).write_text("{")

    listed = site.trusting.listed()

    assert ([each.trust for each in listed.folders], len(listed.problems)) == ([Trust.UNDECIDED], 1)
    assert site.mode is PermissionMode.DEFAULT


@pytest.mark.parametrize("trust", ["yes", True, None, "undecided", ["trusted"]])
def test_a_decision_that_is_none_is_not_taken_for_one(site: Site, trust: object) -> None:
    site.project(BOLD)
    (wish,) = site.opened().read.wishes
    site.state.mkdir()
    entry = {"root": wish.root, "digest": wish.digest, "trust": trust}
    trust_file(site.state).write_text(json.dumps({"format": 1, "entries": [entry]}))

    assert (site.store.decision(wish.root, wish.digest), site.store.listed()) == (Trust.UNDECIDED, ())


def test_decisions_about_one_folder_are_bounded(site: Site) -> None:
    for number in range(30):
        site.store.decide("/w", f"d{number}", Trust.TRUSTED)
    site.store.decide("/v", "d", Trust.DECLINED)

    assert [each.digest for each in site.store.listed() if each.root == "/w"] == [f"d{n}" for n in range(10, 30)]
    assert site.store.decision("/v", "d") is Trust.DECLINED
