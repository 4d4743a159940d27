"""Words that wait: in order, changed as long as they wait, and never lost."""

import pytest
from hall import WORDS, YES, House, open_house
from test_tasks_restart import copy_at

from agent_lsp.domain.errors import BadParams, Overloaded
from agent_lsp.domain.history import Words
from agent_lsp.domain.messages import Ask, Say
from agent_lsp.domain.requests import AskReply, QueueEdit
from agent_lsp.tasks import endings
from agent_lsp.tasks.queue import MOST_WAITING
from support.kitchen import calls

IMAGE = "data:image/png;base64,iVBORw0KGgo="


async def waiting(state, *texts: str, more: tuple = ()) -> tuple[House, str, list[str]]:
    """A task that asks, and the ids of the words that wait behind that ask."""
    house = open_house(state, [calls("write"), *more])
    task_id = house.new_task()
    await house.watcher.until_ask(Ask.TOOL)
    sent = [await house.tasks.send(task_id, text, (), "queue") for text in texts]
    return house, task_id, [each.message_id for each in sent]


def texts(house: House, task_id: str) -> list[str]:
    return [words.text for words in house.tasks.queue(task_id, None).words]


def heard(house: House) -> list[str]:
    return [text for item in house.histories()[-1] if isinstance(item, Words) for text in item.texts]


@pytest.mark.parametrize(
    ("op", "fields", "left"),
    [
        ("remove", {}, ["a", "c"]),
        ("edit", {"text": "B"}, ["a", "B", "c"]),
        ("edit", {"text": "", "images": (IMAGE,)}, ["a", "", "c"]),
        ("edit", {"images": (IMAGE,)}, ["a", "b", "c"]),
        ("edit", {}, ["a", "b", "c"]),
        ("move", {"position": 0}, ["b", "a", "c"]),
        ("move", {"position": 1}, ["a", "b", "c"]),
        ("move", {"position": 99}, ["a", "c", "b"]),
    ],
)
async def test_words_are_changed_while_they_wait_and_stay_so_after_a_kill(tmp_path, op, fields, left) -> None:
    house, task_id, ids = await waiting(tmp_path / "a", "a", "b", "c")

    changed = house.tasks.queue(task_id, QueueEdit(op, ids[1], **fields))

    assert [words.text for words in changed.words] == left
    await house.watcher.until(lambda: house.status.queue == len(left))
    again = open_house(copy_at(tmp_path / "a", task_id, 999, tmp_path / "b"), [])
    assert (await again.tasks.resume(task_id)).queue == len(left)
    assert again.tasks.queue(task_id, None) == changed
    await again.tasks.close()
    await house.tasks.close()


async def test_words_that_wait_no_more_cannot_be_changed(tmp_path) -> None:
    house, task_id, ids = await waiting(tmp_path, "a", "b")
    house.tasks.queue(task_id, QueueEdit("remove", ids[0]))

    for edit in (QueueEdit("edit", ids[0], "x"), QueueEdit("remove", ids[0]), QueueEdit("move", "nobody")):
        with pytest.raises(BadParams, match="wait"):
            house.tasks.queue(task_id, edit)
    with pytest.raises(BadParams, match="remove it instead"):
        house.tasks.queue(task_id, QueueEdit("edit", ids[1], " "))
    assert texts(house, task_id) == ["b"]
    await house.tasks.close()


async def test_full_queue_refuses_more(tmp_path) -> None:
    house, task_id, _ = await waiting(tmp_path, *map(str, range(MOST_WAITING)))

    with pytest.raises(Overloaded):
        await house.tasks.send(task_id, "one more", (), "queue")
    assert len(texts(house, task_id)) == MOST_WAITING
    await house.tasks.close()


async def test_words_that_waited_at_a_kill_are_heard_in_order_by_the_task_that_goes_on(tmp_path) -> None:
    house, task_id, _ = await waiting(tmp_path / "a", "first", "second")
    again = open_house(copy_at(tmp_path / "a", task_id, 999, tmp_path / "b"), [calls("finish")])

    await again.tasks.resume(task_id)
    again.tasks.answer(task_id, None, AskReply(WORDS, "third"))
    await again.watcher.until_ask(Ask.COMPLETION_RESULT)

    assert heard(again) == ["do it", endings.RESUMED, "first", "second", "third"]
    assert again.watcher.said(Say.USER_FEEDBACK) == ["first", "second", "third"]
    assert again.status.queue == 0
    await again.tasks.close()
    await house.tasks.close()


async def test_no_kill_loses_what_the_user_said_or_has_it_heard_twice(tmp_path) -> None:
    house, task_id, _ = await waiting(tmp_path / "a", "more", more=(calls("finish"), calls("finish")))
    house.answer(YES)
    await house.watcher.until(lambda: len(house.histories()) == 3)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    journal = (tmp_path / "a" / "tasks" / task_id / "journal.jsonl").read_bytes().splitlines()
    said = next(number for number, line in enumerate(journal, start=1) if b'"more"' in line)

    for count in range(2, len(journal) + 1):
        again = open_house(copy_at(tmp_path / "a", task_id, count, tmp_path / str(count)), [calls("finish")])
        await again.tasks.resume(task_id)
        again.tasks.answer(task_id, None, AskReply(WORDS, "go on"))
        await again.watcher.until_ask(Ask.COMPLETION_RESULT)
        assert heard(again).count("do it") == 1, count
        assert heard(again).count("more") == (count >= said), count
        await again.tasks.close()
    await house.tasks.close()


async def test_words_of_an_interruption_outlive_a_kill_while_all_stops(tmp_path) -> None:
    house = open_house(tmp_path, [calls("hang")])
    task_id = house.new_task()
    await house.watcher.until(lambda: house.status.activity == "Tools x1")

    interrupting = house.tasks.send(task_id, "stop, this", (), "interrupt")
    interrupting.send(None)

    journal = (tmp_path / "tasks" / task_id / "journal.jsonl").read_text()
    assert "stop, this" in journal
    interrupting.close()
    await house.tasks.close()


async def test_images_alone_are_words(tmp_path) -> None:
    house = open_house(tmp_path, [calls("finish"), calls("finish"), calls("finish")])
    task_id = house.new_task("", images=(IMAGE,))
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)

    await house.tasks.send(task_id, "", (IMAGE,), "queue")
    await house.watcher.until(lambda: len(house.histories()) == 2)
    await house.watcher.until_ask(Ask.COMPLETION_RESULT)
    house.answer(WORDS, "", images=(IMAGE,))
    await house.watcher.until(lambda: len(house.histories()) == 3)

    words = [item for item in house.histories()[-1] if isinstance(item, Words)]
    assert [(item.texts, item.images) for item in words] == [((), (IMAGE,))] * 3
    assert house.status.title == "Images"
    await house.tasks.close()
