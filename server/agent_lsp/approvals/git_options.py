"""What git may do beyond a subcommand's plain use: run programs, load settings, write files. Pure."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from agent_lsp.approvals.shell.syntax import Word
from agent_lsp.approvals.tables import words_of

_SUBCOMMANDS = words_of(
    """add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format
    checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree count-objects describe
    diff diff-files diff-index diff-tree fetch fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id grep
    hash-object help index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit merge
    merge-base merge-file merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-redundant
    pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace
    request-pull rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref
    sparse-checkout stash status stripspace switch symbolic-ref tag unpack-file unpack-objects update-index update-ref
    update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree"""
)
"""The rest run programs, change settings, or are aliases that somebody else defined."""

_HARMLESS_IN_FRONT = words_of(
    """--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    --no-replace-objects --version -v --help -h --no-advice --no-lazy-fetch --html-path --man-path --info-path
    --exec-path"""
)
_LONG = words_of(
    """output output-directory ext-diff textconv filters exec upload-pack receive-pack open-files-in-pager
    config template
    edit edit-description edit-todo interactive patch strategy gpg-sign sign local-user in-place
    separate-git-dir contents
    parseopt sq-quote unsafe-paths show-signature extcmd tool file reference shared"""
)
_NOT_CUT_SHORT = words_of("text signoff ext in-reply-to color show tool-help")
_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "add": "eip",
        "am": "iS",
        "archive": "o",
        "bundle": "",
        "checkout": "p",
        "cherry-pick": "eS",
        "clean": "i",
        "clone": "cu",
        "commit": "etSp",
        "commit-tree": "S",
        "format-patch": "o",
        "grep": "O",
        "interpret-trailers": "i",
        "ls-remote": "u",
        "merge": "esS",
        "pull": "esS",
        "rebase": "xisS",
        "reset": "p",
        "restore": "p",
        "revert": "eS",
        "stash": "p",
        "tag": "sueF",
        "difftool": "xt",
        "mergetool": "t",
    }
)
_VALUED: Mapping[str, str] = MappingProxyType(
    {
        "cherry-pick": "mX",
        "clone": "bjo",
        "checkout": "bB",
        "commit": "mCcF",
        "format-patch": "v",
        "grep": "ABCefm",
        "merge": "mFX",
        "pull": "X",
        "rebase": "CX",
        "revert": "mX",
        "stash": "m",
        "tag": "m",
    }
)
"""Letters whose value is what follows them in a word; elsewhere they may be flags, and more options follow."""
_FREE_KEYS = re.compile(
    r"(?i)user\.(name|email)|(color|advice|status|column|apply)\..*|(push|pull|fetch|rebase|rerere)\.[a-z]+|help\.format"
    r"|core\.(abbrev|autocrlf|eol|filemode|quotepath|ignorecase|safecrlf|symlinks|precomposeunicode|longpaths)"
    r"|(log|diff|merge|commit|tag|format|grep|blame)\.(date|algorithm|colormoved|renames|noprefix|mnemonicprefix"
    r"|conflictstyle|ff|verbose|cleanup|sort|pretty|linenumber|showemail|decorate)|init\.defaultbranch"
    r"|branch\..*\.(remote|merge|rebase|description)|branch\.(autosetup\w+|sort)"
)
"""Settings that make git run nothing and contact nobody else."""
_LOOKING = words_of("--get --get-all --get-regexp --get-urlmatch --list -l")
_LOOKS = words_of("get list")
_TAKING_AWAY = words_of("--unset --unset-all --remove-section")
_CHANGES = words_of("set unset")
_ELSEWHERE = re.compile(r"-e|--e.*|edit|-f.*|--fi.*|--bl.*")
_WORDS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "pull": re.compile(r"--rebase=[im].*"),
        "remote": re.compile(r"add|set-url|update"),
        "notes": re.compile(r"edit|merge"),
        "help": re.compile(r"-w|--web|-i|--info"),
        "filter-branch": re.compile(r"--.*-filter"),
        "branch": re.compile(r"--edit-description"),
        "bundle": re.compile(r"create"),
        "update-index": re.compile(r"--(fsmonitor|untracked-cache).*"),
        "cat-file": re.compile(r"--(textconv|filters)"),
        "worktree": re.compile(r"--.*(track|guess)"),
    }
)
_TRANSPORT = re.compile(r"(?i)[a-z0-9+.-]+::.*|.*=[a-z0-9+.-]+::.*")
_WITH_PATCH_OUTPUT = words_of(
    """log show diff diff-files diff-index diff-tree whatchanged format-patch stash reflog blame annotate range-diff
    shortlog rev-list cherry"""
)
_OF_PATCHES = frozenset({"patch"})


def git_problem(words: Sequence[Word], named: int) -> str:
    """Why a use of git has to be asked about, the first `named` words aside; else nothing."""
    risky = _risky(words, named)
    return f"`{risky}` may make `git` do more than it does by itself" if risky else ""


def _risky(words: Sequence[Word], named: int) -> str:
    at = 1
    while at < len(words) and words[at].text.startswith("-"):
        if at >= named and words[at].text not in _HARMLESS_IN_FRONT:
            return words[at].text
        at += 2 if words[at].text in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") else 1
    if at >= len(words):
        return ""
    subcommand = words[at].text
    if subcommand == "config":
        return _risky_setting(words[at + 1 :], named - at - 1)
    if [word.text for word in words[at : at + 2]] == ["stash", "show"]:
        subcommand = "show"  # Its `-p` shows a patch, where that of the others asks what to take.
    if at >= named and subcommand not in _SUBCOMMANDS:
        return subcommand
    rest = words[max(at + 1, named) :]
    return next((word.text for word in _options_of(rest) if _is_risky(word, subcommand)), "")


def _risky_setting(words: Sequence[Word], named: int) -> str:
    """What makes a use of `git config` more than a look, or than a change of what may be anything."""
    behind = words[max(named, 0) :]
    if risky := next((word.text for word in behind if word.may_be_option or _ELSEWHERE.fullmatch(word.text)), ""):
        return risky
    texts = [word.text for word in words]
    operands = [text for text in texts if not text.startswith("-") and text not in _CHANGES]
    is_look = not _LOOKING.isdisjoint(texts) or not _LOOKS.isdisjoint(texts[:1])
    takes_away = not _TAKING_AWAY.isdisjoint(texts) or texts[:1] == ["unset"]
    is_change = bool(operands) and (takes_away or (len(operands) > 1 and not is_look))
    is_named = len(words) <= named
    return operands[0] if is_change and not is_named and not _FREE_KEYS.fullmatch(operands[0]) else ""


def _options_of(words: Sequence[Word]) -> Sequence[Word]:
    """The words before a lone `--`; transports are looked for behind it as well."""
    end = next((at for at, word in enumerate(words) if word.text == "--"), len(words))
    return [*words[:end], *(word for word in words[end:] if _TRANSPORT.fullmatch(word.text))]


def _is_risky(word: Word, subcommand: str) -> bool:
    text = word.text
    if word.may_be_option or "%G" in text or _TRANSPORT.fullmatch(text):
        return True
    if (pattern := _WORDS.get(subcommand)) and pattern.fullmatch(text):
        return True
    if text.startswith("--"):
        return _is_risky_name(text[2:].partition("=")[0], subcommand)
    return text.startswith("-") and _has_letter(text[1:], _LETTERS.get(subcommand, ""), _VALUED.get(subcommand, ""))


def _is_risky_name(given: str, subcommand: str) -> bool:
    if given in _NOT_CUT_SHORT or not given:
        return False
    is_patch = subcommand in _WITH_PATCH_OUTPUT
    return any(name.startswith(given) for name in _LONG if not (is_patch and name in _OF_PATCHES))


def _has_letter(letters: str, risky: str, valued: str) -> bool:
    for letter in letters:
        if letter in risky:
            return True
        if letter in valued:
            return False
    return False
