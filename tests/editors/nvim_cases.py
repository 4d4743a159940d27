"""What the scripted models in the tests of Neovim do."""

from support.model_server import CallTool

DONE = [CallTool("attempt_completion", result="All **done**.")]
LINES = [f"line {n}" for n in range(40)]
TEXT = "\n".join(LINES) + "\n"
EDITED_LINES = ["first", *LINES[1:39], "last"]
EDITED = "\n".join(EDITED_LINES) + "\n"
WRITE = [CallTool("write_to_file", path="a.txt", content=EDITED)]
