"""Which environment variables hold secrets, by their names: one rule for what commands get and for what is written."""

import re

_SECRET = re.compile(
    r"""(?x)
    ^(ANTHROPIC|OPENAI|AGENT_LSP)_
    | SECRET | PASSWORD | PASSWD | PASSPHRASE | PASSCODE | CREDENTIAL | API_?KEY | PRIVATE_?KEY | ACCESS_?KEY | TOKEN
    | CONNECTION_?STRING | AUTH_CONFIG | WEBHOOK | SSHPASS
    | (^|_)(KEY|PAT|AUTH|PWD_?HASH|COOKIES?|CREDS?|PASS|JWT|DSN)$ | _PWD$
    """,
    re.IGNORECASE,
)


def names_a_secret(variable: str) -> bool:
    return _SECRET.search(variable) is not None
