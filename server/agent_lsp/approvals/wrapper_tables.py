"""The programs that run other programs, and how each of them is told which."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from agent_lsp.approvals.tables import words_of


@dataclass(frozen=True, slots=True)
class Wrapper:
    """`flags` and `valued` are its letters, `long` its long options; those with a `=` take a value.

    `idle` letters make it look up rather than run; `script` options take a script; `operands` stand before the command.
    """

    flags: str = ""
    valued: str = ""
    long: str = ""
    idle: str = ""
    script: str = ""
    operands: int = 0
    takes_assignments: bool = False
    takes_numbers: bool = False
    ends_operands: bool = False
    """What it runs stands behind `--`, options or not before that."""
    takes_dash: bool = False
    """A lone `-` is one of its options."""
    joins: bool = False
    gets_more: bool = False
    is_shell: bool = False
    """With nothing to run it starts a shell."""


PLAIN = Wrapper()
PLAIN_OR_SHELL = Wrapper(is_shell=True)
WRAPPERS: Mapping[str, Wrapper] = MappingProxyType(
    {
        "sudo": Wrapper(
            "bEHknPS",
            "Cghprtu",
            "background preserve-env non-interactive stdin set-home preserve-groups user= group= host= prompt=",
            takes_assignments=True,
        ),
        "doas": Wrapper("n", "u"),
        "env": Wrapper("i0v", "u", "ignore-environment null debug unset=", takes_assignments=True, takes_dash=True),
        "nice": Wrapper("", "n", "adjustment=", takes_numbers=True),
        "setsid": Wrapper("cfw", "", "ctty fork wait"),
        "stdbuf": Wrapper("", "ioe", "input= output= error="),
        "timeout": Wrapper("fpv", "ks", "foreground preserve-status verbose kill-after= signal=", operands=1),
        "time": Wrapper("pvq", "f", "portability verbose quiet format=", takes_assignments=True),
        "xargs": Wrapper(
            "0prtxo",
            "adEIJLnPRSs",
            "null interactive no-run-if-empty verbose exit open-tty max-args= max-procs= max-chars="
            " delimiter= arg-file=",
            gets_more=True,
        ),
        "command": Wrapper("p", idle="vV"),
        "exec": Wrapper("cl", "a"),
        "flock": Wrapper(
            "sxeunoFv",
            "wE",
            "shared exclusive unlock nonblock nb close no-fork verbose timeout= wait= conflict-exit-code=",
            script="c command",
            operands=1,
        ),
        "watch": Wrapper(
            "bcCdegprtwx",
            "nq",
            "beep color no-color differences errexit chgexit no-title precise exec no-wrap interval= equexit=",
            joins=True,
        ),
        "arch": PLAIN,
        "ionice": Wrapper("t", "cn", "ignore class= classdata="),
        "chrt": Wrapper("abdfiormRv", "TPD", "all-tasks batch fifo idle other rr reset-on-fork verbose", operands=1),
        "taskset": Wrapper("ac", "", "all-tasks cpu-list", operands=1),
        "strace": Wrapper("cCfFhiknqrtTvwxyzZ", "abeIPsSuUX", "follow-forks"),
        "ltrace": Wrapper("cCfhiLrStT", "abdeAlnsuwx", ""),
        "chroot": Wrapper("", "", "userspec= groups= skip-chdir", operands=1, is_shell=True),
        "su": Wrapper("lmp", "gG", "login preserve-environment group=", script="c command", operands=1, is_shell=True),
        "runuser": Wrapper("", "ugG", "user= group=", script="c command", is_shell=True),
        "script": Wrapper("aefq", "", "append return flush quiet", script="c command", operands=1, is_shell=True),
        "unbuffer": Wrapper("p"),
        "caffeinate": Wrapper("dimsu", "tw"),
        "proxychains": Wrapper("q"),
        "proxychains4": Wrapper("q"),
        "faketime": Wrapper("fm", operands=1),
        "gosu": Wrapper(operands=1),
        "su-exec": Wrapper(operands=1),
        "setuidgid": Wrapper(operands=1),
        "s6-setuidgid": Wrapper(operands=1),
        "envuidgid": Wrapper(operands=1),
        "envdir": Wrapper(operands=1),
        "setlock": Wrapper("nNxX", operands=1),
        "sg": Wrapper(script="c", operands=1, joins=True, is_shell=True),
        "setarch": Wrapper("R", is_shell=True),
        "tini": Wrapper("sgvw"),
        "prlimit": Wrapper("", "", "nofile= nproc= as= cpu= core="),
        "cpulimit": Wrapper("z", "l"),
        "xvfb-run": Wrapper("a", "", "auto-servernum"),
        "ssh": Wrapper("46AaCfGgKkMNnqsTtVvXxYy", "bcIlmOpQ", operands=1, joins=True, is_shell=True),
        "npx": Wrapper("yq", "", "yes no quiet no-install", script="c call"),
        "direnv exec": Wrapper(operands=1),
        "rustup run": Wrapper("", "", "install", operands=1),
        "docker run": Wrapper("dit", "u", "rm detach interactive tty name= user= workdir= platform=", operands=1),
        "docker exec": Wrapper("dit", "uw", "detach interactive tty user= workdir=", operands=1),
        "kubectl exec": Wrapper("itq", "cn", "stdin tty quiet container= namespace=", operands=1, ends_operands=True),
        "kubectl run": Wrapper(operands=1, ends_operands=True),
        "kubectl debug": Wrapper(operands=1, ends_operands=True),
        "git submodule foreach": Wrapper("", "", "recursive quiet", joins=True),
        "git bisect run": PLAIN,
    }
)
NAMESAKES: Mapping[str, str] = MappingProxyType(
    {
        "podman": "docker", "oc": "kubectl", "fdfind": "fd", "dzdo": "sudo", "gtime": "time", "gstdbuf": "stdbuf",
        "gxargs": "xargs", "gtimeout": "timeout", "genv": "env", "gnice": "nice",
    }
)  # fmt: skip
OTHERS = words_of(
    """builtin nohup busybox toybox unshare nsenter setpriv systemd-run systemd-inhibit catchsegv proot fakeroot numactl
    torsocks eatmydata rlwrap pkexec firejail bwrap dbus-run-session dumb-init coproc
    linux32 linux64 i386 i486 i586 i686 x86_64 aarch64 arm64 armv7l armv8l uname26 run0 ccache sccache distcc
    uvx bunx pnpx valgrind lxc-attach cgexec chpst softlimit newgrp tsocks
    trickle choom uclampset run-one run-this-one keep-one-running chronic ifne retry daemonize
    with-contenv ld.so ld-linux-x86-64.so.2 ld-linux.so.2 ld-linux-aarch64.so.1"""
)
UNCLEAR = words_of(
    """parallel hyperfine expect entr nodemon watchexec perf gdb lldb rr screen tmux at batch nix-shell concurrently
    start-stop-daemon sshpass run-parts daemon sem mispipe wine wine64 dotenv dotenvx op doppler envchain aws-vault
    chamber teller sops cmd wsl qemu-x86_64 qemu-i386 qemu-arm qemu-aarch64
    then do else elif if while until ! { ("""
)
"""What these run, their words do not say in any simple way."""
SUBCOMMANDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "docker": frozenset({"run", "exec"}),
        "kubectl": frozenset({"exec", "run", "debug"}),
        "direnv": frozenset({"exec"}),
        "rustup": frozenset({"run"}),
        "asdf": frozenset({"exec"}),
        "volta": frozenset({"run"}),
        "fnm": frozenset({"exec"}),
        "nvm": frozenset({"exec"}),
        "npm": frozenset({"exec", "x"}),
        "pnpm": frozenset({"exec", "dlx"}),
        "yarn": frozenset({"exec", "dlx"}),
        "bun": frozenset({"x"}),
        "poetry": frozenset({"run"}),
        "uv": frozenset({"run"}),
        "pipenv": frozenset({"run"}),
        "pipx": frozenset({"run"}),
        "pdm": frozenset({"run"}),
        "hatch": frozenset({"run"}),
        "pixi": frozenset({"run"}),
        "rye": frozenset({"run"}),
        "conda": frozenset({"run"}),
        "bundle": frozenset({"exec"}),
        "mise": frozenset({"exec", "x"}),
        "pyenv": frozenset({"exec"}),
        "rbenv": frozenset({"exec"}),
        "opam": frozenset({"exec"}),
        "stack": frozenset({"exec"}),
    }
)
GROUPS = words_of("compose container workspace workspaces")
"""Words between a program and its subcommand."""
SHELLS = words_of("bash sh dash zsh ksh ksh93 mksh fish ash rbash csh tcsh pwsh powershell")
