"""A profile before it is kept: what is said of it, whether that makes sense, and how it comes into the user's settings.

No questions are asked here; that is `configure_questions.py`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from agent_lsp.domain.encoding import Json
from agent_lsp.domain.errors import BadParams
from agent_lsp.providers.build import REFERENCE
from agent_lsp.providers.definitions import NO_KEY, TYPES, ProviderType, type_named
from agent_lsp.providers.transport import is_address, is_loopback
from agent_lsp.settings.checks import checked
from agent_lsp.settings.model import Profile
from agent_lsp.settings.sources import USER_FILE
from agent_lsp.storage.user_settings import change_user_settings

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_NAME = 60
_OF_THE_MODEL = ("window", "maxOutput", "prices", "seesImages")


@dataclass(frozen=True, slots=True)
class Draft:
    """`fields` are the profile's, as the settings write them."""

    name: str
    type: ProviderType
    fields: Json
    of_other_model: tuple[str, ...] = ()
    """Those of them that were said of the model before, and may not hold for this one."""

    @property
    def profile(self) -> Profile:
        """What is made of the fields; those from before that make no sense are left out, as they are when read."""
        fitting, _ = checked({"providers": {self.name: self.fields}}, "")
        return Profile.model_validate(fitting["providers"][self.name])

    @property
    def holds_key(self) -> bool:
        """Whether a key itself is in it, not only where one is."""
        key = str(self.fields.get("apiKey", NO_KEY))
        return key != NO_KEY and not key.startswith("$")


def wanted_type(name: str) -> ProviderType:
    if known := type_named(name.strip().lower()):
        return known
    raise BadParams(f"There is no type {name!r}: choose one of {', '.join(known.name for known in TYPES)}.")


def checked_name(name: str) -> str:
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise BadParams(f"A profile's name is one to {_LONGEST_NAME} characters that can be seen.")
    return name.strip()


def checked_variable(name: str) -> str:
    """The reference to a variable. What is no name of one is not repeated: it may be the key itself."""
    if not _VARIABLE.fullmatch(name):
        raise BadParams("That is no name of a variable: name the one that has the key, and not the key itself.")
    return REFERENCE + name


def checked_address(address: str) -> str:
    """The base URL, or the reference to a variable that has it. What is neither is not repeated: it may hold a key."""
    if address.startswith(REFERENCE) and _VARIABLE.fullmatch(address.removeprefix(REFERENCE)):
        return address
    if not re.match(r"https?://[^\s/]", address) or not address.isprintable():
        raise BadParams("The base URL begins with http:// or https://.")
    if not is_address(address):
        raise BadParams("The base URL is no address: look at its host and its port.")
    if urlsplit(address).password:
        way = f"have the whole URL in a variable of the environment, and name it as {REFERENCE}NAME"
        raise BadParams(f"There is a password in the base URL, which does not belong into a file: {way}.")
    return address


def profiles_in(settings: Json) -> Json:
    """The profiles of settings that nobody has looked at yet."""
    return _object(settings.get("providers"))


def profile_in(settings: Json, name: str | None) -> Json:
    """One of them; an empty one where there is none of this name."""
    return _object(profiles_in(settings).get(name or ""))


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}  # A JSON object has strings for keys.


def draft_of(provider: ProviderType, name: str, given: Json, before: Json) -> Draft:
    """Put together what is said of a profile, and what it said before where its type is the same; BadParams."""
    known = type_named(str(before.get("type", "")))
    fields: Json = {**(before if known is provider else {}), "type": provider.name, **given}
    if "apiKey" not in fields and is_loopback(str(fields.get("baseURL", ""))):
        fields["apiKey"] = NO_KEY
    _, remarks = checked({"providers": {name: given}}, "The command line")
    if remarks:
        raise BadParams(remarks[0])
    is_other_model = fields.get("model") != before.get("model")
    doubtful = [field for field in _OF_THE_MODEL if is_other_model and field in fields and field not in given]
    return Draft(name, provider, fields, tuple(doubtful))


def keep(draft: Draft, home: Path, *, is_current: bool) -> Path:
    """Write the profile into the user's settings, and leave all else in them as it is."""

    def changed(settings: Json) -> Json:
        current = {"currentProvider": draft.name} if is_current else {}
        return {**settings, **current, "providers": {**profiles_in(settings), draft.name: draft.fields}}

    file = home / USER_FILE
    change_user_settings(file, changed, is_private=draft.holds_key)
    return file
