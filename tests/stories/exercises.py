"""Small programming exercises, each with what a good model does about it: the calls, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass

from support.model_server import CallTool

Step = tuple[str, tuple[CallTool, ...]]

TEST = CallTool("execute_command", command="python3 -m unittest -q 2>&1")


@dataclass(frozen=True, slots=True)
class Exercise:
    task: str
    files: Mapping[str, str]
    steps: tuple[Step, ...]
    """The last of them completes; the tests run just before."""


def done(result: str) -> Step:
    return ("", (CallTool("attempt_completion", result=result),))


ROMAN = Exercise(
    "The Roman numerals are wrong for 4 and 9. Mend them.",
    {
        "roman.py": (
            "NUMERALS = [(1000, 'M'), (500, 'D'), (100, 'C'), (50, 'L'), (10, 'X'), (5, 'V'), (1, 'I')]\n\n\n"
            "def roman(number):\n    text = ''\n    for value, sign in NUMERALS:\n        while number > value:\n"
            "            text += sign\n            number -= value\n    return text\n"
        ),
        "test_roman.py": (
            "import unittest\nfrom roman import roman\n\n\nclass RomanTest(unittest.TestCase):\n"
            "    def test_numbers(self):\n        for number, text in [(1, 'I'), (4, 'IV'), (9, 'IX'), (1994, 'MCMXCIV')]:\n"
            "            self.assertEqual(roman(number), text)\n"
        ),
    },
    (
        ("I look at both.", (CallTool("read_file", path="roman.py"), CallTool("read_file", path="test_roman.py"))),
        (
            "The comparison is off by one, and the subtractive forms are missing.",
            (
                CallTool(
                    "apply_diff",
                    path="roman.py",
                    diff=(
                        "<<<<<<< SEARCH\n:start_line:1\n-------\nNUMERALS = [(1000, 'M'), (500, 'D'), (100, 'C'), (50, 'L'), "
                        "(10, 'X'), (5, 'V'), (1, 'I')]\n=======\nNUMERALS = [\n    (1000, 'M'), (900, 'CM'), (500, 'D'), "
                        "(400, 'CD'), (100, 'C'), (90, 'XC'),\n    (50, 'L'), (40, 'XL'), (10, 'X'), (9, 'IX'), (5, 'V'), "
                        "(4, 'IV'), (1, 'I'),\n]\n>>>>>>> REPLACE\n\n<<<<<<< SEARCH\n        while number > value:\n=======\n"
                        "        while number >= value:\n>>>>>>> REPLACE"
                    ),
                ),
            ),
        ),
        ("Now the tests.", (TEST,)),
        done("`roman` compares with >= now and knows the subtractive forms; the tests pass."),
    ),
)

ESCAPE = Exercise(
    "Write page.py with a function `page(title, body)` that makes an HTML page of texts, so that the tests pass.",
    {
        "test_page.py": (
            "import unittest\nfrom page import page\n\n\nclass PageTest(unittest.TestCase):\n    def test_page(self):\n"
            "        self.assertEqual(page('a < b', 'x & y'),\n"
            "            '<html><title>a &lt; b</title><content>x &amp; y</content></html>\\n')\n"
        ),
    },
    (
        ("", (CallTool("list_files", path=".", recursive=True), CallTool("read_file", path="test_page.py"))),
        (
            "I write the module.",
            (
                CallTool(
                    "write_to_file",
                    path="page.py",
                    content=(
                        '"""Pages, as <content>…</content> in <html>; see also </content> alone."""\n\n'
                        "PAGE = '<html><title>{title}</title><content>{body}</content></html>\\n'\n\n\n"
                        "def page(title, body):\n    return PAGE.format(title=escape(title), body=escape(body))\n\n\n"
                        "def escape(text):\n    return text.replace('&', '&amp;').replace('<', '&lt;')\n"
                    ),
                ),
                TEST,
            ),
        ),
        done("page.py is written, and its tests pass."),
    ),
)

RENAME = Exercise(
    "Rename `qty` to `quantity` everywhere.",
    {
        "stock.py": "def total(qty, price):\n    return qty * price\n\n\ndef is_empty(qty):\n    return qty == 0\n",
        "shop.py": "from stock import total\n\n\ndef bill(orders):\n    return sum(total(qty=n, price=p) for n, p in orders)\n",
        "test_shop.py": (
            "import unittest\nfrom shop import bill\nfrom stock import is_empty, total\n\n\n"
            "class ShopTest(unittest.TestCase):\n    def test_bill(self):\n"
            "        self.assertEqual(bill([(2, 3), (1, 4)]), total(quantity=5, price=2))\n"
            "        self.assertTrue(is_empty(quantity=0))\n"
        ),
    },
    (
        ("", (CallTool("search_files", path=".", regex=r"\bqty\b"),)),
        (
            "Four places in stock.py, one in shop.py.",
            (
                CallTool(
                    "edit_file", path="stock.py", old_string="qty", new_string="quantity", expected_replacements=4
                ),
                CallTool("edit_file", path="shop.py", old_string="qty=n", new_string="quantity=n"),
            ),
        ),
        ("", (CallTool("search_files", path=".", regex="qty"), TEST)),
        done("`qty` is `quantity` in stock.py and shop.py; nothing says `qty` any more, and the tests pass."),
    ),
)

SPLIT = Exercise(
    "Move `slug` out of text.py into a module of its own, slugs.py, and drop old.py.",
    {
        "text.py": (
            "import re\n\n\ndef words(text):\n    return text.split()\n\n\n"
            "def slug(text):\n    return re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')\n"
        ),
        "old.py": "unused = True\n",
        "test_slugs.py": (
            "import os\nimport unittest\nimport text\nfrom slugs import slug\n\n\nclass SlugTest(unittest.TestCase):\n"
            "    def test_slug(self):\n        self.assertEqual(slug('  A & B! '), 'a-b')\n"
            "        self.assertFalse(hasattr(text, 'slug') or os.path.exists('old.py'))\n"
        ),
    },
    (
        ("", (CallTool("read_file", path="text.py"), CallTool("read_file", path="old.py"))),
        (
            "One patch does it all.",
            (
                CallTool(
                    "apply_patch",
                    patch=(
                        "*** Begin Patch\n*** Add File: slugs.py\n+import re\n+\n+\n+def slug(text):\n"
                        "+    return re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')\n*** Update File: text.py\n"
                        "@@\n-import re\n-\n-\n def words(text):\n     return text.split()\n-\n-\n-def slug(text):\n"
                        "-    return re.sub(r'[^a-z0-9]+', '-', text.lower()).strip('-')\n*** Delete File: old.py\n"
                        "*** End Patch"
                    ),
                ),
                TEST,
            ),
        ),
        done("`slug` lives in slugs.py, old.py is gone, and the tests pass."),
    ),
)

LEAP = Exercise(
    "Leap years are wrong. Keep a list of what you do.",
    {
        "years.py": "def is_leap(year):\n    return year % 4 == 0\n",
        "test_years.py": (
            "import unittest\nfrom years import is_leap\n\n\nclass YearsTest(unittest.TestCase):\n    def test_years(self):\n"
            "        self.assertEqual([y for y in (1900, 1996, 2000, 2023) if is_leap(y)], [1996, 2000])\n"
        ),
    },
    (
        (
            "",
            (
                CallTool("update_todo_list", todos="[-] See what fails\n[ ] Mend it"),
                CallTool("execute_command", command="python3 -m unittest -q 2>&1 | tail -4"),
            ),
        ),
        (
            "Centuries are the exception.",
            (
                CallTool(
                    "apply_diff",
                    path="years.py",
                    diff="<<<<<<< SEARCH\n    return not year % 4\n=======\n    return False\n>>>>>>> REPLACE",
                ),
            ),
        ),
        ("That was not what stands there; I read it.", (CallTool("read_file", path="years.py"),)),
        (
            "",
            (
                CallTool(
                    "apply_diff",
                    path="years.py",
                    diff=(
                        "<<<<<<< SEARCH\n    return year % 4 == 0\n=======\n"
                        "    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n>>>>>>> REPLACE"
                    ),
                ),
                CallTool("update_todo_list", todos="[x] See what fails\n[x] Mend it"),
                TEST,
            ),
        ),
        done("Centuries are leap years only every 400 years; the tests pass."),
    ),
)

EXERCISES = {"roman": ROMAN, "escape": ESCAPE, "rename": RENAME, "split": SPLIT, "leap": LEAP}
