"""The questions of `agent-lsp configure`, in order, and what is made of the answers.

Whom it asks and which services it asks about is behind the two Protocols; see `configure_world.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from agent_lsp.domain.errors import AgentError, BadParams, NotConfigured
from agent_lsp.headless.profile_drafts import (
    Draft,
    checked_address,
    checked_name,
    checked_variable,
    draft_of,
    wanted_type,
)
from agent_lsp.providers.catalog import UNKNOWN, known
from agent_lsp.providers.definitions import TYPES, ProviderType
from agent_lsp.providers.listing import ListedModel
from agent_lsp.providers.probing import FoundServer
from agent_lsp.settings.model import Profile

T = TypeVar("T")

MODELS_SHOWN = 20


class Person(Protocol):
    """Who is asked. EOFError once nobody is there any more."""

    def tell(self, text: str) -> None: ...

    def ask(self, prompt: str) -> str: ...

    def ask_secret(self, prompt: str) -> str:
        """Ask for what must not be seen on the screen."""
        ...


class World(Protocol):
    """What is asked about."""

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def file(self) -> Path: ...

    def profile_names(self) -> tuple[str, ...]: ...

    def found(self) -> tuple[FoundServer, ...]: ...

    def models(self, provider: ProviderType, profile: Profile) -> tuple[ListedModel, ...]: ...

    def problem(self, profile: Profile) -> str | None: ...

    def keep_key(self, name: str, key: str) -> str: ...


def asked_draft(person: Person, world: World) -> Draft | None:
    """Ask for a profile; None where the person would rather not."""
    try:
        return _Questions(person, world).asked()
    except EOFError:
        return None


@dataclass(frozen=True, slots=True)
class _Questions:
    person: Person
    world: World

    def asked(self) -> Draft | None:
        taken = self.world.profile_names()
        provider = self._type()
        for step in provider.steps:
            self.person.tell(f"  {step}")
        given: dict[str, str | int] = {**self._fields(provider)}
        if key := self._key(provider, given):
            given["apiKey"] = key
        given |= self._model(provider, given) if "model" in provider.needs else {}
        draft = draft_of(provider, self._name(provider, taken), given, {})
        return self._with_key_kept(draft) if self._is_good(draft) else None

    def _type(self) -> ProviderType:
        found = {server.type.name: server for server in self.world.found()}
        self.person.tell("Who provides the model?")
        for number, each in enumerate(TYPES, 1):
            self.person.tell(f"{number:3}  {each.name:18} {each.title}{self._note(each, found.get(each.name))}")
        ready = next((each for each in TYPES if self._note(each, found.get(each.name))), None)
        names = [each.name for each in TYPES]
        return self._until_good("Type", ready and ready.name, lambda answer: wanted_type(_chosen(answer, names)))

    def _note(self, provider: ProviderType, found: FoundServer | None) -> str:
        if found:
            models = ", ".join(model.name for model in found.models[:3])
            return f" (runs here{', with ' + models if models else ''})"
        is_set = provider.key_variable and self.world.environment.get(provider.key_variable, "").strip()
        return f" ({provider.key_variable} is set)" if is_set else ""

    def _fields(self, provider: ProviderType) -> dict[str, str]:
        """Ask where it is, as far as that is not known."""
        usual = provider.address(self.world.environment)
        given: dict[str, str] = {}
        if provider.is_local or provider.is_anywhere or "base_url" in provider.needs:
            address = self._until_good("Base URL", usual, checked_address)
            given |= {"baseURL": address} if address != usual else {}
        completed = provider.completed(Profile(type=provider.name), self.world.environment)
        for field in ("project", "region", "file"):
            if field in provider.needs and not getattr(completed, field):
                given[field] = self._until_good(field.capitalize(), None, _said)
        return given

    def _key(self, provider: ProviderType, given: Mapping[str, object]) -> str | None:
        """Ask for the key, or where it is; None where none is needed, or it is found without being named."""
        is_needed = "api_key" in provider.needs
        if provider.is_local or not (is_needed or provider.key_variable):
            return None
        variable = provider.key_variable or ""
        is_set = bool(self.world.environment.get(variable, "").strip())
        if is_set and self._is_yes(f"Use the key in {variable}", is_usual=True):
            return None if "baseURL" not in given else checked_variable(variable)
        otherwise = "to name a variable of the environment" if is_needed else "to do without"
        if key := self.person.ask_secret(f"Key (not shown; nothing, {otherwise}): "):
            return key
        if not is_needed:
            return None
        return self._until_good("Variable that has the key", variable or None, checked_variable)

    def _model(self, provider: ProviderType, given: Mapping[str, object]) -> dict[str, str | int]:
        listed = self._listed(provider, given)
        names = [model.name for model in listed]
        for number, name in enumerate(names[:MODELS_SHOWN], 1):
            self.person.tell(f"{number:3}  {name}")
        if len(names) > MODELS_SHOWN:
            self.person.tell(f"     … and {len(names) - MODELS_SHOWN} more, which can be named")
        usual = next((name for name in (*provider.models, *names) if not names or name in names), None)
        model = self._until_good("Model", usual, lambda answer: _chosen(answer, names))
        window = next((each.window for each in listed if each.name == model), None)
        return {"model": model} | ({"window": window} if window and known(model) is UNKNOWN else {})

    def _listed(self, provider: ProviderType, given: Mapping[str, object]) -> tuple[ListedModel, ...]:
        try:
            listed = self.world.models(provider, Profile.model_validate({"type": provider.name, **given}))
        except AgentError as problem:
            self.person.tell(f"Its models cannot be listed. {problem}")
            listed = ()
        return listed or tuple(map(ListedModel, provider.models))

    def _name(self, provider: ProviderType, taken: Sequence[str]) -> str:
        while True:
            name = self._until_good("Name of the profile", provider.name, checked_name)
            if name not in taken or self._is_yes(f"There is a profile {name}. Replace it", is_usual=False):
                return name

    def _is_good(self, draft: Draft) -> bool:
        self.person.tell("Asking it something …")
        problem = self.world.problem(draft.profile)
        if problem is None:
            self.person.tell("It answers.")
            return True
        self.person.tell(problem)
        return self._is_yes("Keep the profile all the same", is_usual=False)

    def _with_key_kept(self, draft: Draft) -> Draft:
        if not draft.holds_key:
            return draft
        try:
            kept = self.world.keep_key(draft.name, draft.fields["apiKey"])
        except NotConfigured as problem:
            self.person.tell(str(problem))
            if self._is_yes(f"Keep the key in {self.world.file}, which only you can read", is_usual=False):
                return draft
            self.person.tell("Then it has to be in a variable of the environment, wherever the agent is started.")
            kept = self._until_good("Variable that has the key", draft.type.key_variable, checked_variable)
        return replace(draft, fields=draft.fields | {"apiKey": kept})

    def _is_yes(self, question: str, *, is_usual: bool) -> bool:
        while True:
            answer = self.person.ask(f"{question}? [{'Y/n' if is_usual else 'y/N'}] ").lower()
            if answer in ("", "y", "yes", "n", "no"):
                return is_usual if not answer else answer.startswith("y")

    def _until_good(self, what: str, usual: str | None, read: Callable[[str], T]) -> T:
        """Ask until the answer makes sense; nothing is the usual one."""
        while True:
            answer = self.person.ask(f"{what}{f' [{usual}]' if usual else ''}: ") or usual or ""
            try:
                return read(answer)
            except BadParams as problem:
                self.person.tell(str(problem))


def _chosen(answer: str, names: Sequence[str]) -> str:
    """Take a number of the list for what it stands for, and anything else as it is."""
    if answer.isascii() and answer.isdigit() and answer not in names:
        if not 1 <= int(answer) <= len(names):
            raise BadParams(f"The list ends at {len(names)}.")
        return names[int(answer) - 1]
    return _said(answer)


def _said(answer: str) -> str:
    if not answer:
        raise BadParams("Something has to be said here; ^C ends this without a change.")
    return answer
