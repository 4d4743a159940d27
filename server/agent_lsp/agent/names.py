"""Names of files and the like, as a model may be told them."""


def one_line(name: str) -> str:
    """A name on one line: a file may be called anything, also something that reads like an instruction."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name)
