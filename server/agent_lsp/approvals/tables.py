"""How tables of words are written down."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text, whatever blanks and lines stand between them."""
    return frozenset(text.split())
