"""A new task made of the beginning of another one: its records, and the artifacts that its history speaks of.

Checkpoints stay with the task they were taken for, and so does the money it spent.
"""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from agent_lsp.domain.checkpoints import Rewind
from agent_lsp.domain.status import Usage
from agent_lsp.storage.journal import Journal, Redact, read_journal
from agent_lsp.storage.problems import storage_problem
from agent_lsp.storage.records import (
    Cleared,
    LimitsReset,
    MessageAdded,
    MessageChanged,
    Record,
    Renamed,
    Started,
    UsageCounted,
)
from agent_lsp.storage.rewinding import RewindPoint, plan_rewind

_ARTIFACTS = "artifacts"


@dataclass(frozen=True, slots=True)
class Fork:
    """Which task is to be made, and from how much of the other one: all of it, or what came before message `ts`."""

    folder: Path
    instance_id: str
    created_ts: int
    ts: int | None = None
    title: str | None = None


def fork_task(source: Path, fork: Fork, redact: Redact) -> Rewind | None:
    """Write the new task's folder; the words it was forked before. For a thread: journals may be large."""
    records = read_journal(source).records
    rewound = plan_rewind(records, source.name, RewindPoint(fork.ts)) if fork.ts is not None else None
    journal = Journal.create(fork.folder, redact)
    try:
        for record in _copied(records, fork):
            journal.append(record)
        if rewound:
            journal.append(rewound.record)
        _copy_artifacts(source, fork.folder)
    finally:
        journal.close()
    return rewound.told if rewound else None


def _copied(records: Iterable[Record], fork: Fork) -> Iterator[Record]:
    for record in records:
        match record:
            case Started():
                yield replace(
                    record,
                    task_id=fork.folder.name,
                    instance_id=fork.instance_id,
                    created_ts=fork.created_ts,
                    client_request_id=None,
                )
            case MessageAdded(message):
                yield MessageAdded(replace(message, checkpoint=None))
            case MessageChanged():
                yield replace(record, checkpoint=None)
            case UsageCounted(context=context):
                yield UsageCounted(Usage(), context)
            case Cleared():
                pass
            case _:
                yield record
    yield LimitsReset()
    if fork.title:
        yield Renamed(fork.title)


def _copy_artifacts(source: Path, target: Path) -> None:
    try:
        shutil.copytree(source / _ARTIFACTS, target / _ARTIFACTS, symlinks=True)
    except FileNotFoundError:
        return
    except (OSError, shutil.Error) as error:
        problem = error if not isinstance(error, shutil.Error) else OSError(str(error))
        raise storage_problem("The outputs of commands cannot be copied", target, problem) from error
