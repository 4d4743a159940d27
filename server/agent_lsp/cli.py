"""The gate."""


def main() -> int:
    return 0
