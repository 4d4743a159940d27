"""When a model is told which rules, once it is at work."""

from dataclasses import dataclass, field
from pathlib import Path

from agent_lsp.domain.files import Place, Standing
from agent_lsp.domain.prompting import RuleText
from agent_lsp.tasks.told_rules import RuleNews, ToldRules

ROOT = Path("/w")


@dataclass
class Shelf:
    """Rules by the folder they lie in; those of the root are standing."""

    texts: dict[str, str] = field(default_factory=dict)

    def standing(self, mode: str) -> list[RuleText]:
        del mode
        return [rule(".", self.texts["."])] if "." in self.texts else []

    def nearby(self, file: Path, mode: str) -> list[RuleText]:
        del mode
        folders = [str(one.relative_to(ROOT)) for one in file.parents if one.is_relative_to(ROOT)]
        return [
            rule(folder, self.texts[folder]) for folder in reversed(folders) if folder != "." and folder in self.texts
        ]


def rule(folder: str, text: str) -> RuleText:
    return RuleText(f"{folder}/AGENTS.md", text)


def place(path: str, standing: Standing = Standing.INSIDE) -> Place:
    return Place(path, ROOT / path, f"file:///w/{path}", standing, ROOT)


def told(**texts: str) -> tuple[Shelf, ToldRules]:
    shelf = Shelf({("." if folder == "root" else folder): text for folder, text in texts.items()})
    rules = ToldRules(shelf)
    rules.standing("code")
    return shelf, rules


async def test_rules_of_a_folder_come_with_its_first_file() -> None:
    _, rules = told(root="Tabs.", a="Brief.")
    untouched = await rules.news("code")
    rules.touch(place("a/x.py"))
    first = await rules.news("code")

    rules.touch(place("a/y.py"))

    assert (untouched, first, await rules.news("code")) == (RuleNews(), RuleNews((rule("a", "Brief."),)), RuleNews())


async def test_rules_of_the_same_text_are_not_told_again() -> None:
    _, rules = told(root="Tabs.", a="Tabs.\n")

    rules.touch(place("a/x.py"))

    assert await rules.news("code") == RuleNews()


async def test_files_outside_have_no_rules() -> None:
    _, rules = told(a="Brief.")

    rules.touch(place("a/x.py", Standing.OUTSIDE))

    assert await rules.news("code") == RuleNews()


async def test_rules_that_changed_are_told_when_it_is_time_to_look() -> None:
    shelf, rules = told(root="Tabs.", a="Brief.")
    rules.touch(place("a/x.py"))
    await rules.news("code")
    shelf.texts = {".": "Blanks.", "a": "Very brief."}
    not_yet = await rules.news("code")

    rules.look_again()

    assert not_yet == RuleNews()
    assert await rules.news("code") == RuleNews((rule(".", "Blanks."), rule("a", "Very brief.")))
    rules.look_again()
    assert await rules.news("code") == RuleNews()


async def test_rules_that_are_gone_are_told_once() -> None:
    shelf, rules = told(root="Tabs.")
    shelf.texts.clear()
    rules.look_again()
    first = await rules.news("code")

    rules.look_again()

    assert (first, await rules.news("code")) == (RuleNews(gone=("./AGENTS.md",)), RuleNews())


async def test_what_was_hidden_is_told_again() -> None:
    _, rules = told(root="Tabs.", a="Brief.")
    rules.touch(place("a/x.py"))
    await rules.news("code")

    rules.forget()

    assert await rules.news("code") == RuleNews((rule("a", "Brief."),))


async def test_changed_rule_that_was_hidden_is_told_again() -> None:
    shelf, rules = told(root="Tabs.")
    shelf.texts["."] = "Blanks."
    rules.look_again()
    await rules.news("code")

    rules.forget()
    rules.look_again()

    assert await rules.news("code") == RuleNews((rule(".", "Blanks."),))


async def test_new_system_prompt_has_the_rules_as_they_are() -> None:
    shelf, rules = told(root="Tabs.")
    shelf.texts["."] = "Blanks."

    in_prompt = rules.standing("ask")
    rules.look_again()

    assert (in_prompt, await rules.news("ask")) == ((rule(".", "Blanks."),), RuleNews())
