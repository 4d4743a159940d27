"""Programs whose plain use is harmless and whose options, or very nature, are not. Tables and their reading; pure.

A program that no table names is judged by its options' names alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent_lsp.approvals.shell import Word


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS = _words(
    """sudo doas su env nice nohup setsid stdbuf timeout time xargs parallel command builtin flock watch ionice chrt
    taskset strace ltrace gdb unshare nsenter chroot script expect ssh runuser setpriv systemd-run busybox toybox
    entr direnv fd fdfind caffeinate catchsegv proot fakeroot unbuffer prlimit numactl cpulimit torsocks proxychains
    bash sh dash zsh ksh mksh fish ash rbash csh tcsh pwsh"""
)
"""They run what their words, or their input, say."""

RESERVED = _words("if then elif else fi for while until do done case esac in function select coproc ! { } [[ ]] ( )")
"""Words of the shell that a grammar may take for commands."""

SHELL_CHANGERS = _words(
    """eval source . exec trap alias unalias hash enable shopt set unset export declare typeset local readonly read
    mapfile readarray getopts let pushd popd complete compgen bind fc history jobs kill disown wait exit return logout
    suspend ulimit umask times ["""
)
"""Builtins that evaluate text, or change what the words after them mean."""

_INTERPRETER = re.compile(
    r"(python|pypy|perl|ruby|node|nodejs|deno|bun|php|luajit|lua|tclsh|wish|Rscript|R|julia)[0-9.]*"
)
_CODE_OPTION = re.compile(r"-(?!-)[a-zA-Z]*[ceEprm]|--?(eval|print|require|import|exec|command|loader|init)")


@dataclass(frozen=True, slots=True)
class _Options:
    """`short` letters and `long` names, and whole words as a pattern, that do more than a program's plain use.

    Harmless options stand here too where they share a letter or a beginning: to ask once too often does no harm.
    """

    short: str = ""
    long: str = ""
    words: str | None = None


_EVERYTHING = _Options(words="(?s).*")
_PROGRAMS = {
    "awk": _Options(words=r"(?s).*(system|getline|[|>]|@).*|-[a-zA-Z].*|--.*"),
    "cargo": _Options("Z", "config manifest-path target-dir", r"install|run|\+.*"),
    "clang": _Options("oBf", words="@.*"),
    "cmake": _Options("EPC", "build install"),
    "curl": _Options(
        "oOKTdFDcEuXHxJa",
        "output config upload-file data form dump-header cookie remote trace stderr proxy header request json engine"
        " etag hsts libcurl netrc write-out",
    ),
    "date": _Options("s", "set"),
    "dd": _Options(words="of=.*"),
    "diff": _Options(long="output to-file from-file"),
    "docker": _EVERYTHING,
    "ed": _EVERYTHING,
    "emacs": _EVERYTHING,
    "file": _Options("CmfzZ", "compile magic-file files-from uncompress"),
    "find": _Options(words=r"-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)"),
    "gcc": _Options("oBf", "specs wrapper", "@.*"),
    "git": _Options(
        "cOo",
        "config-env exec exec-path output open-files-in-pager upload-pack receive-pack ext-diff textconv paginate"
        " git-dir work-tree extcmd tool template gpg-sign sign editor edit strategy filter attr-source super-prefix"
        " contents smtp-server",
        r"difftool|mergetool|filter-branch|bisect|submodule|config|daemon|instaweb|send-email|credential.*|hook|ext::.*",
    ),
    "go": _Options(
        words=r"-?-(exec|toolexec|o|C|\w+profile|outputdir|modfile|overlay|vettool|ldflags|gcflags)(=.*)?"
        r"|generate|run|tool"
    ),
    "grep": _Options("f", "file"),
    "jq": _Options(
        "fL", "from-file rawfile slurpfile library-path", r"(?s).*\b(env|input_filename|import|include)\b.*|.*ENV.*"
    ),
    "kubectl": _Options(words=r"exec|.*config.*|cp|run|debug|edit"),
    "less": _Options("oOkTtp", "log-file lesskey tag", r"\+.*"),
    "make": _Options("fCIE", "file makefile directory include-dir eval", ".*=.*"),
    "man": _Options("PHCBrETX", "pager html browser config-file preprocessor prompt troff-device"),
    "more": _Options(words=r"\+.*"),
    "nano": _EVERYTHING,
    "npm": _Options(words=r"exec|x|explore|config|set|edit|--?(prefix|script-shell|node-options|\w*config).*"),
    "npx": _Options("cp", "call package node-options"),
    "nvim": _EVERYTHING,
    "openssl": _EVERYTHING,
    "pip": _Options("rcte", "target requirement index-url extra-index-url find-links editable prefix root"),
    "podman": _EVERYTHING,
    "printf": _Options("v"),
    "pytest": _Options("pco", "rootdir confcutdir override-ini config-file basetemp import-mode pdbcls plugins"),
    "rg": _Options("zf", "pre hostname-bin search-zip config file"),
    "rsync": _Options("eM", "rsh rsync-path remote-option"),
    "scp": _Options("SFo"),
    "sed": _Options(
        "iEfsnz",
        "in-place file quiet silent expression",
        r"(?s).*(?:^|[^a-zA-Z])[0-9,$/ ]*[wWerR].*|.*/[a-zA-Z0-9]*[ewW].*",
    ),
    "sort": _Options("oTS", "output compress-program temporary-directory files0-from"),
    "split": _Options(long="filter"),
    "tar": _Options(
        "IFxCfrucA",
        "checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command rmt-command"
        " extract get remove-files directory file create append update",
        "[a-zA-Z]+",
    ),
    "tee": _Options(words=r"(?!/dev/null$).*"),
    "test": _Options("vR", words="-(eq|ne|lt|le|gt|ge)"),
    "tree": _Options("oR", "output"),
    "uniq": _Options(words="[^-].*"),
    "unzip": _Options("doxn"),
    "vi": _EVERYTHING,
    "vim": _EVERYTHING,
    "wget": _Options("OoPaieU", "output execute post use-askpass input append directory config save load"),
    "xxd": _Options("r", "revert"),
    "yq": _Options("i", "inplace in-place split-exp"),
    "zip": _Options("TO", "unzip-command out test"),
}

_ALIASES = {
    "egrep": "grep",
    "fgrep": "grep",
    "mawk": "awk",
    "nawk": "awk",
    "gawk": "awk",
    "gmake": "make",
    "cc": "gcc",
    "c++": "gcc",
    "g++": "gcc",
    "clang++": "clang",
    "pip3": "pip",
    "gsed": "sed",
    "gtar": "tar",
    "bsdtar": "tar",
    "view": "vi",
    "[": "test",
}

_RISKY_NAMES = _words(
    """exec execute command cmd program prog pager editor output out outfile write config rcfile rc init eval expr
    require plugin plugins load loader lib library shell rsh ssh script inplace place delete remove upload filter hook
    hooks pre post run launch open import module macro wrapper compiler linker compress exe bin interpreter action
    proxy rpath preload save log logfile dump export install cd chdir directory root prefix browser"""
)


def option_problem(words: Sequence[Word], named: int, *, is_fed: bool) -> str:
    """Why a part whose first `named` words a rule names still has to be asked about; else nothing."""
    program, rest = words[0].text, words[named:]
    if program in WRAPPERS or program in RESERVED:
        return f"`{program}` runs other commands"
    if program in SHELL_CHANGERS:
        return f"`{program}` changes what the shell does next"
    if program == "cd":
        return "" if _stays_below(rest) else "it leaves the folder"
    if _INTERPRETER.fullmatch(program):
        return _interpreter_problem(program, rest, is_fed=is_fed)
    table = _PROGRAMS.get(_ALIASES.get(program, program))
    risky = next((word.text for word in rest if _is_risky(word, table)), None)
    return f"`{risky}` may make `{program}` do more than it does by itself" if risky is not None else ""


def _stays_below(words: Sequence[Word]) -> bool:
    if len(words) != 1 or words[0].has_glob:
        return False
    path = words[0].text
    return bool(path) and path[0] not in "/-~" and ".." not in path.split("/")


def _interpreter_problem(program: str, words: Sequence[Word], *, is_fed: bool) -> str:
    if is_fed:
        return f"`{program}` may get its program from its input"
    if any(_CODE_OPTION.match(word.text) or word.text == "-" for word in words):
        return f"`{program}` gets its program from its words"
    return ""


def _is_risky(word: Word, table: _Options | None) -> bool:
    text = word.text
    if text.startswith("-") and word.has_glob:
        return True
    if table is None:
        return text.startswith("-") and bool(_RISKY_NAMES.intersection(re.split(r"[-=_.]", text.lower())))
    if word.starts_with_glob or (table.words and re.fullmatch(table.words, text)):
        return True
    if text.startswith("--"):
        return any(_may_mean(text[2:].partition("=")[0], name) for name in table.long.split())
    return text.startswith("-") and bool(set(text) & set(table.short))


def _may_mean(given: str, name: str) -> bool:
    """Long options may be shortened, and a family of them shares its beginning."""
    return bool(given) and (name.startswith(given) or given.startswith(name))
