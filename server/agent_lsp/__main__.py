"""`python -m agent_lsp` is the command `agent-lsp`."""

import sys

from agent_lsp.cli import main

sys.exit(main())
