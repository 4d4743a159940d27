"""Which environment variables hold secrets, by their names: one rule for what commands get and for what is written."""

import re

_SECRET = re.compile(
    r"""(?x)
    ^(ANTHROPIC|OPENAI|AGENT_LSP)_
    | SECRET | PASSWORD | PASSWD | PASSPHRASE | CREDENTIAL | API_?KEY | PRIVATE_?KEY | ACCESS_?KEY | TOKEN
    | (^|_)(KEY|PAT|AUTH|PWD_?HASH|COOKIE)$
    """,
    re.IGNORECASE,
)


def names_a_secret(variable: str) -> bool:
    return _SECRET.search(variable) is not None
