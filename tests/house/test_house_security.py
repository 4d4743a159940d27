"""docs/security.md, held to the tests: what is guaranteed there is held by tests that exist."""

import re

from source_tree import ROOT, page, section, table_rows

SECURITY = page("security.md")


def test_every_guarantee_names_tests_that_exist() -> None:
    rows = table_rows(section(SECURITY, "Guarantees"))
    cited = [test for row in rows for test in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row[-1])]

    missing = [
        (name, test)
        for name, test in cited
        if not (ROOT / name).is_file() or (test and f"def {test}(" not in (ROOT / name).read_text("utf-8"))
    ]

    assert missing == []
    assert all("`tests/" in row[-1] for row in rows)
    assert len(rows) >= 20
