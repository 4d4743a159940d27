"""Shapes that a tree of processes may have, each with the mark `{0}` among its words.

All run until they are ended, but none for ever: whatever ends a test in between leaves no process that stays.
"""


def _python(*lines: str) -> str:
    return "\n".join(["exec python3 -c '", "import os, signal, time", *lines, "' {0}"])


SHAPES = {
    "a child": "sleep {0}",
    "background jobs": "sleep {0} & sleep {0} & wait",
    "a new session": "setsid sleep {0} & sleep {0}",
    "a double fork into a new session": "(setsid bash -c '(sleep {0} &) ; exit' &) ; sleep {0}",
    "a daemon without output or environment": "env -i setsid nohup sleep {0} </dev/null >/dev/null 2>&1 & sleep {0}",
    "a daemon by the book": _python(
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "if os.fork(): os._exit(0)",
        'os.chdir("/")',
        "os.closerange(0, 100)",
        "time.sleep(1000)",
    ),
    "deaf to the end of its terminal": "nohup sleep {0} & disown; sleep {0}",
    "a deep tree": 'bash -c \'bash -c "bash -c \\"sleep {0}; :\\"; :"; :\'; :',
    "a pipeline": "sleep {0} | sleep {0} | cat",
    "a pipe that is held": "(sleep {0} | cat) & exit",
    "a process substitution": "cat <(sleep {0}) >(sleep {0}; cat)",
    "a coprocess": "coproc sleep {0}; wait",
    "by other programs": "echo 1 2 3 | xargs -P 3 -n 1 sh -c 'sleep {0}'",
    "with a time of its own": "timeout 1000 sleep {0}",
    "under another name": "exec -a other sleep {0}",
    "SIGTERM ignored": "trap '' TERM HUP INT; sleep {0} & sleep {0}; wait",
    "every signal blocked": _python("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))", "time.sleep(1000)"),
    "stopped": "sleep {0} & kill -STOP $!; sleep {0}",
    "stopped and deaf": "trap '' TERM; sleep {0} & sleep 0.1; kill -STOP $! $$; sleep {0}",
    "one that comes back": "for i in 1 2 3 4 5 6 7 8 9; do sleep {0}; done",
    "two that bring each other back": "trap '' TERM; "
    + _python(
        "for _ in range(1000):",
        "    child = os.fork()",
        "    os.waitpid(child, 0) if child else time.sleep(1000)",
    ),
    "a shell that outlives its children's end": "trap 'sleep {0}' TERM; sleep {0}; sleep {0}",
    "one that begins at the end": "trap 'sleep {0} & sleep {0}' EXIT; sleep {0}",
    "zombies": _python("for _ in range(20):", "    if not os.fork(): os._exit(0)", "time.sleep(1000)"),
    "a hundred deaf ones": "trap '' TERM; " + _python("for _ in range(7): os.fork()", "time.sleep(1000)"),
    "one that is never the same": _python(
        "for _ in range(20_000):", "    if os.fork(): os._exit(0)", "    os.setsid()", "    time.sleep(0.005)"
    ),
}
