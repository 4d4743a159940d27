"""What the command prints, when nobody reads it to its end."""

import subprocess
import sys


def test_a_reader_that_leaves_early_causes_no_complaint() -> None:
    command = [sys.executable, "-m", "agent_lsp", "schema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr

        process.stdout.close()

        assert process.stderr.read() == ""
        assert process.wait(10) == 1
