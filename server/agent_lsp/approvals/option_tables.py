"""Programs whose plain use is harmless and whose options are not: what each option table says, program by program."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Options:
    """What makes a program do more than its plain use.

    `short` letters, `long` names (a `*` at the end for a family) and whole words by pattern do. `valued` letters take
    a value, so that what follows them in a word is no option. With `subcommands`, all others ask as well. From
    `operands` on, one more operand is a file that is written. What `fine` matches is harmless all the same: a word, or
    an option, a blank and its value.
    """

    short: str = ""
    valued: str = ""
    long: str = ""
    words: str | None = None
    subcommands: str = ""
    operands: int = 0
    fine: str | None = None
    first: str | None = None
    """What the first operand may not be, which says what the program does."""


EVERYTHING = Options(words="(?s).*")


PROGRAMS: Mapping[str, Options] = MappingProxyType(
    {
        "7z": Options(words="-[owx]?.*[@!].*|-(o|w|sdel|sfx|so|i|ai).*|@.*"),
        "ack": Options("", "ABCgm", "pager ackrc output"),
        "ag": Options("p", "ABCGgm", "pager path-to-ignore"),
        "ansible": EVERYTHING,
        "ansible-playbook": EVERYTHING,
        "apt": Options("oc", "t", "option config-file"),
        "aria2c": Options(
            "idoljc", "", "on-* conf-path input-file save-* load-cookies log out dir enable-rpc rpc-* server-stat-*"
        ),
        "az": Options("", "", "", r"run-command|rest|login|extension|config|ssh|.*@.*|deployment|invoke"),
        "aws": Options(
            "", "", "cli-input* endpoint-url ca-bundle", r"cp|sync|mv|configure|ssm|send-.*|put-.*|fileb?://.*"
        ),
        "bat": Options("", "lHrm", "pager config-file generate-config-file diagnostic"),
        "bazel": Options("", "", "run_under bazelrc action_env test_env", "run|shutdown"),
        "brew": Options(words="sh|edit|ruby|irb|bundle|tap|services|extract|create"),
        "bsdtar": Options("IPTC", "bfLosX", "use-compress-program files-from null"),
        "bun": Options("eprcC", "", "eval print preload require config cwd", first="x|create|upgrade|publish|init"),
        "bundle": Options("", "", "gemfile", "config|open|console|plugin|gem"),
        "cargo": Options(
            "Z",
            "jpFC",
            "config manifest-path target-dir out-dir artifact-dir fix open",
            r"\+.*|-C.*|.*\.json",
            "build b check c test t bench clippy fmt doc d tree metadata clean update search version fetch"
            " generate-lockfile pkgid verify-project nextest locate-project add remove vendor help",
            fine=r"--target(=(?!.*\.json).*)?",
        ),
        "chattr": Options(),
        "cmake": Options(
            "PECD", "GSBAT", "build install open workflow toolchain* graphviz* trace-redirect profiling-output"
        ),
        "composer": Options("d", "", "working-dir", first="exec|run-script|global|config|x"),
        "convert": Options(words="(msl|ephemeral|url|https?|text|mvg|@).*"),
        "cpio": Options("oOiF", "", "rsh-command to-stdout create extract file"),
        "crontab": Options("eru", "", "", "[^-].*|-"),
        "csplit": Options(),
        "curl": Options(
            "oOJTKFDcbdEnxZaQ",
            "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
            "output* remote-name* remote-header-name upload-file config form* dump-header cookie* cookie-jar data* json"
            " url-query cert* key* proxy* preproxy trace* stderr netrc* engine libcurl etag* hsts alt-svc write-out"
            " append quote variable expand* unix-socket abstract-unix-socket socks* resolve connect-to doh-url"
            " proto-default telnet-option random-file egd-file pinnedpubkey create-dirs capath cacert crlfile"
            " mail* ftp* krb delegation next parallel*",
            r"-H@.*|@.*|.*%output.*|-w@.*|(?i:(file|dict|gopher|ldap|scp|sftp|smb|telnet|tftp|ftp)s?:.*)",
            fine=r"-[sSfLkiIvg46]*o ?(/dev/null|-)|--output[ =](/dev/null|-)"
            r"|-[sSfLkiIvgG46]*d [^@].*|--(data|data-raw|data-binary|json)[ =][^@].*|--data-urlencode[ =][^@]*",
        ),
        "dmesg": Options("CcDEn", "", "clear read-clear console*"),
        "date": Options("sf", "dI", "set file", r"[0-9]+(\.[0-9]+)?", fine=r"(-[uRjn]*[dr]|--date|--reference)[ =].*"),
        "dd": Options(words="of=(?!/dev/null$).*"),
        "delta": Options("", "", "pager config diff-so-fancy"),
        "deno": Options("Ac", "", "allow* config eval import-map", "eval|run|install|x|repl|serve|upgrade|task"),
        "diff": Options("l", "CUDFIxXSW", "paginate"),
        "diff3": Options("", "L", "diff-program"),
        "docker": Options(
            "HcvueD",
            "Hcn",
            "host config context env-file entrypoint privileged volume* mount device cap-add security-opt pid env tls*"
            " add-host network output file",
            None,
            "ps images logs inspect version info stats top port diff history search events",
        ),
        "dotnet": Options(
            "alrso",
            "cfv",
            "test-adapter-path logger settings property output",
            r"[-/]p:.*|exec|run|tool|@.*|[-/]l:.*|nuget|new|msbuild",
        ),
        "direnv": Options(words="allow|permit|grant|edit"),
        "dnf": Options("c", "x", "config setopt installroot repofrompath plugin*", "shell"),
        "dpkg": Options("", "", "admindir root instdir pre-invoke post-invoke status-logger log"),
        "eslint": Options(
            "co",
            "f",
            "config rulesdir plugin resolve-plugins-relative-to output-file format parser* ext-runtime "
            "cache-file cache-location fix",
            "-f",
            fine=r"--ext(=.*)?|--cache|(-f|--format)[ =](json|stylish|compact|unix|html)",
        ),
        "exiftool": Options(
            words=r"-(if\d*|config|out|o|w|W|tagsfromfile|@|api|userparam|p|execute|stay_open).*|-?.*[=<].*"
        ),
        "fc": EVERYTHING,
        "ffmpeg": Options(
            "",
            "",
            "",
            r"(concat|subfile|pipe|file|tee|https?|ftp|rtmp|data|crypto):.*|-(report|dump_attachment.*|"
            r"filter_script|filter_complex_script|init_hw_device|protocol_whitelist|safe)",
        ),
        "file": Options("CmfzZ", "F", "compile magic-file files-from uncompress*"),
        "find": Options(words=r"-(delete|fprint0?|fprintf|fls|files0-from)"),
        "fd": Options("xX", "", "base-directory exec* ignore-file"),
        "gem": Options("C", "", "config-file", "exec|install|push|owner|signin|cert|yank"),
        "gh": Options(
            "eF",
            "LRsS",
            "body-file editor web",
            r"api|alias|extension|ext|gist|release|download|auth|secret|config|browse|codespace|cs|create|ssh.*|gpg.*|"
            r"variable|clone|fork",
            fine="--body(=.*)?",
        ),
        "gmake": Options(
            "fCIEe", "jlWo", "file makefile directory include-dir eval environment-overrides", r"[^-].*=.*"
        ),
        "go": Options(
            words=r"-?-(exec|toolexec|o|C|\w+profile|outputdir|modfile|overlay|vettool|ldflags|gcflags|asmflags|gccgoflags"
            r"|fuzz\w*|trace|pkgdir|compiler|w|u|c|test\.\w+|args|edit|json-out|n-out|debug-\w+)(=.*)?",
            subcommands="build test vet fmt list version env doc mod clean help work",
            fine="-m -u|-u -m",
        ),
        "gradle": Options(
            "bcIpPDgm",
            "x",
            "build-file init-script project-dir settings-file system-prop project-prop include-build gradle-user-home",
        ),
        "gzip": Options(),
        "helm": Options(
            "f",
            "n",
            "kubeconfig post-renderer* set-file values repository-config registry-config output-dir",
            "plugin|push|install|upgrade",
        ),
        "gs": Options("oc", "", "", r"-sOutputFile.*|-d(NO|DELAY)SAFER"),
        "hatch": Options("", "e", "config", "shell|publish|run"),
        "http": Options("do", "aAp", "download output session* cert* proxy", r"[^=:@]*:?=?@.*"),
        "iconv": Options("o", "ft", "output"),
        "nm": Options("", "", "plugin"),
        "gcloud": Options("", "", "flags-file configuration", "ssh|scp|ssh-keygen|auth|config|.*-to-file.*|deploy|run"),
        "glab": Options("", "R", "", "api|alias|auth|config|release|create|clone|fork|variable|ssh-key"),
        "golangci-lint": Options("co", "", "config fix out* new-from-patch", "custom|cache|migrate"),
        "hg": Options("Ry", "", "config config-file cwd repository debugger pager profile encoding*", "serve|debug.*"),
        "hostname": Options("F", "", "file", "[^-].*"),
        "htop": Options(),
        "install": Options("", "gmoSt", "strip-program"),
        "javac": Options(
            words=r"@.*|-[JAdsh].*|--?processor.*|-proc.*|-Xplugin.*|--?module-path|-Xbootclasspath.*|-plugin.*"
        ),
        "journalctl": Options(
            "", "bnpuStUS", "vacuum* rotate flush setup-keys update-catalog root file directory cursor-file"
        ),
        "json.tool": Options(operands=2),
        "jq": Options(
            "fL",
            "",
            "from-file rawfile slurpfile library-path",
            r"(?s).*\b(env|import|include|input_filename|debug|get_search_list)\b.*|.*ENV.*",
        ),
        "just": Options("fdc", "", "justfile working-directory command shell* set dotenv* choose edit chooser"),
        "kubectl": Options(
            "ks",
            "ncolLf",
            "kubeconfig kustomize server token* as* raw from-file plugin* template* output-directory cache-dir",
            None,
            "get describe logs top version api-resources api-versions explain cluster-info",
        ),
        "latex": Options(
            words=r"-?-(shell-escape|enable-write18|output-directory|output-format|jobname|translate-file|parse-first-line|fmt|ini|progname)(=.*)?|\\.*"
        ),
        "logger": Options("fnPTdu", "pt", "file server port socket"),
        "less": Options(
            "oOkTtp", "bhjxyzP", "log-file lesskey* tag* prompt* LOG-FILE cmd", r"\+.*", fine=r"\+(G|F|[0-9]+)"
        ),
        "make": Options(
            "fCIEe", "jlWo", "file makefile directory include-dir eval environment-overrides", r"[^-].*=.*"
        ),
        "man": Options(
            "PHCBrETXpLtZ", "msSe", "pager html browser config-file preprocessor prompt troff* gxditview ditroff"
        ),
        "meson": Options(words="setup|install|configure|init|wrap|--cross-file.*|--native-file.*|-D.*"),
        "mise": Options("C", "", "cd", "trust|use|settings|set|plugins?|edit|watch|run|r"),
        "more": Options(words=r"\+.*"),
        "mount": EVERYTHING,
        "mvn": Options(
            "DfsPglt",
            "T",
            "file settings define global-settings log-file toolchains builder",
            r"exec:.*|.*:.*:.*",
            fine=r"-D(test|it\.test|skipTests|maven\.test\.skip)(=[\w.#*,!+-]*)?"
            r"|-(pl|rf) [\w:.,!-]+|-(pl|rf|am|amd|ntp|fae|fn|nsu)",
        ),
        "mypy": Options(
            "cpm",
            "",
            "config-file command package module python-executable cache-dir junit-xml custom-typeshed-dir "
            "shadow-file install-types plugins",
            r"--\w+-report.*|@.*",
        ),
        "mysqldump": Options("rT", "uhP", "result-file tab defaults-* plugin-* init-command* dir"),
        "nc": Options("ecl", "Iipqsw", "exec sh-exec lua-exec output hex-dump"),
        "ninja": Options("fCt", "jkl"),
        "nmap": Options("", "", "script* datadir servicedb resume stylesheet", r"-o.*|-iL.*|-sC|-A"),
        "npm": Options(
            "Cg",
            "w",
            "prefix script-shell node-options userconfig globalconfig global registry cache shell init* "
            "editor viewer git* *-config",
            first=r"explore|config|c|set|edit|publish|adduser|login|logout|token|owner|access|init|create|link|ln|"
            r"hook|unpublish|deprecate|dist-tag|team|profile|get|pkg|doctor-fix|innit|author|add-user|docs|bugs|repo",
        ),
        "nslookup": Options(),
        "pacman": Options("brU", "", "config hookdir root sysroot dbpath gpgdir cachedir upgrade logfile"),
        "patch": Options("eodrBi", "pFDVzYg", "ed output directory reject-file prefix input"),
        "pandoc": Options(
            "oFLdH",
            "ft",
            "output filter lua-filter pdf-engine* extract-media defaults template data-dir metadata-file "
            "include* reference-doc embed-resources",
            r".*\.lua",
        ),
        "pip": Options(
            "rctefi",
            "",
            "target requirement* constraint* index-url extra-index-url find-links editable prefix root "
            "proxy python log cert client-cert"
            " config-settings global-option build-option install-option report src cache-dir trusted-host",
            r"config|download|wheel|cache|.*://.*|.*@.*|\.{0,2}/.*|\.",
        ),
        "playwright": Options(
            "c",
            "g",
            "config output reporter*",
            "install|codegen|open|cr|ff|wk|screenshot|pdf",
            fine=r"--reporter[ =](list|line|dot|json|github|null)",
        ),
        "pnpm": Options(
            "C",
            "",
            "dir config* script-shell registry",
            first="publish|config|create|init|env|set|patch|deploy|setup|self-update|link|login",
        ),
        "poetry": Options("CP", "", "directory project", "config|shell|publish|self|source"),
        "pr": Options("", "DehilnNoSsWw"),
        "pre-commit": Options(
            "c", "", "config", "try-repo|install|autoupdate|migrate-config|init-.*|uninstall|install-hooks"
        ),
        "prettier": Options(
            "w", "", "config* plugin* write ignore-path resolve-config find-config-path cache-location"
        ),
        "printf": Options("v"),
        "pulumi": Options(
            "C", "", "cwd config-file exec*", "up|update|destroy|import|login|new|install|plugin|watch|refresh"
        ),
        "pytest": Options(
            "pcoW",
            "kmnr",
            "rootdir confcutdir override-ini config-file basetemp import-mode pdbcls junit* report-log "
            "log-file cov-report"
            " cov-config pastebin debug pyargs result-log resultlog html json-report* trace-config pythonwarnings pdb"
            " plugins inifile snapshot-update",
            "@.*",
            fine=r"-p ?no:[\w.-]+|--co|--cov(=.*)?|--cov-report[ =]term(-missing)?(:skip-covered)?"
            r"|-W ?\w+(:[^.:]*(:\w*)?)?",
        ),
        "rake": Options("freErRIpgG", "jTW", "rakefile require libdir execute* rakelibdir system nosystem"),
        "rg": Options("z", "ABCdDegjmMrtTEf", "pre hostname-bin search-zip"),
        "rpm": Options("ED", "", "eval pipe define load macros rcfile root dbpath undefine predefine"),
        "rsync": Options(
            "eMT",
            "fB",
            "rsh rsync-path remote-option daemon config log-file* write-batch only-write-batch read-batch "
            "password-file remove-source-files backup-dir temp-dir partial-dir files-from source-root outbuf",
        ),
        "ruff": Options("o", "", "config output-file cache-dir fix* unsafe-fixes add-noqa", "clean|server|@.*"),
        "scp": Options("SFoJDi", "clP"),
        "sdiff": Options("o", "wI", "output diff-program"),
        "sftp": Options("SFoJDbi", "clP"),
        "shellcheck": Options("", "CeiosfSPW", "rcfile"),
        "shuf": Options("o", "nire", "output random-source"),
        "sort": Options("oT", "kSt", "output compress-program temporary-directory random-source"),
        "ss": Options("KDF", "fA", "kill diag filter"),
        "split": Options("", "abClnt", "filter"),
        "systemctl": Options(
            "HM",
            "tnop",
            "host machine root image",
            None,
            "status show cat list-units list-unit-files is-active is-enabled is-failed list-timers "
            "list-dependencies get-default list-sockets",
        ),
        "task": Options("tdg", "pC", "taskfile dir global"),
        "tcpdump": Options("zwWGCFrV", "cis"),
        "tee": Options(words="(?!/dev/null$)[^-].*"),
        "terraform": Options(
            "",
            "",
            "",
            r"-(chdir|var-file|plugin-dir|state\S*|backend-config|out|from-module|config)(=.*)?|init|apply|"
            r"destroy|import|console|taint|login|providers|push|rm|mv|replace-provider|force-unlock|untaint",
        ),
        "top": Options(),
        "tox": Options("cx", "e", "conf override workdir root installpkg"),
        "tree": Options("oR", "HILPT", "output fromfile fromtabfile info"),
        "tsc": Options(
            words=r"--?(outDir|outFile|project-out|build|declarationDir|generateTrace|generateCpuProfile|tsBuildInfoFile|plugins|init)|@.*"
        ),
        "tshark": Options("XwzbG", "cfirRY"),
        "ugrep": Options("", "ABCefgmt", "filter* pager* config* view* save-config*", "-Q.*"),
        "uniq": Options("", "fsw", operands=2, fine="-[fsw] [0-9]+"),
        "unzip": Options("doxn:", "", ""),
        "uv": Options(
            "",
            "p",
            "config-file directory project index* default-index find-links python env-file",
            r"pip|tool|x|publish|run|init|self|add|python|venv|.*://.*",
        ),
        "wget": Options(
            "OoPaieB",
            "lQtTwAR",
            "output* execute post* body* use-askpass input-file append-output directory-prefix config "
            "load-cookies save-cookies"
            " certificate private-key ca* warc* hsts-file rejected-log egd-file random-file base header user-agent"
            " method mirror-out netrc-file report-speed-out dns-servers proxy*",
            fine=r"-q?O ?(-|/dev/null)|--output-document[ =](-|/dev/null)",
        ),
        "xmllint": Options(
            "o",
            "",
            "output shell load-trace path catalogs nocatalogs dtdvalid* schema relaxng schematron encode xinclude",
        ),
        "xsltproc": Options("o", "", "output writesubtree load-trace path profile"),
        "xxd": Options("r", "closg", "revert", operands=2, fine="-(l|len|s|seek|c|cols|g) [-+]?[0-9a-fx]+"),
        "yarn": Options(
            "",
            "",
            "cwd use-yarnrc script-shell registry config*",
            first=r"node|publish|config|create|set|plugin|init|link|global|policies|npm|login|owner|tag",
        ),
        "yq": Options(
            "isf", "Io", "inplace in-place split-exp* from-file", r"(?s).*\b(load\w*|env|strenv|envsubst)\b.*"
        ),
        "zip": Options("TOmbi@", "nstx", "unzip-command out test move temp-path copy-entries", "-TT.*"),
        "zstd": Options("o", "", "output-dir* output patch*"),
    }
)
"""Plain use is what somebody means who allows the program by its name alone."""
