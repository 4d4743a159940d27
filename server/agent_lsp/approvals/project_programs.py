"""Builders, test runners and linters whose plain use is to act on the project: what makes them do more than that."""

from collections.abc import Mapping
from types import MappingProxyType

from agent_lsp.approvals.option_tables import Options

_COMPILING = (
    r"-f(syntax-only|PIC|pic|PIE|pie|no-[\w-]+|sanitize=[\w,-]+|exceptions|permissive|openmp|stack-protector[\w-]*"
    r"|visibility=\w+|omit-frame-pointer|diagnostics-color(=\w+)?|color-diagnostics)|-mno-[\w-]+|-pedantic-errors|-nostd\w+"
)
_LINKING = r"@.*|-wrapper|-specs.*|-fplugin.*|-imacros|-save-temps.*|-Wl,(.*,)?-+(plugin|o|T).*"
PROJECT_PROGRAMS: Mapping[str, Options] = MappingProxyType(
    {
        "ant": Options(words=r"-(f|file|buildfile|find|s|lib|l|logfile|logger|listener|input.*|property.*|main|D.*)"),
        "artisan": Options(words="tinker|db|serve"),
        "as": Options("o"),
        "bandit": Options("ocb", "nlits", "output configfile ini baseline"),
        "black": Options("c", "lt", "config code"),
        "cabal": Options("w", "j", "with* project-file config-file", "run|exec|v?2?-?repl|install|new-.*|v[12]-.*"),
        "clang": Options(
            "oB", "DIUlLW", "specs* wrapper config*", rf"{_LINKING}|-X.*|-load.*|-fpass-plugin.*", fine=_COMPILING
        ),
        "coverage": Options("", "", "rcfile data-file", "run|html|xml|json|lcov"),
        "crystal": Options("o", "", "", "eval|run|tool|play|init|env"),
        "ctest": Options("SDTMCO", "jRELI", "script build-* test-command dashboard output-log test-dir output-junit"),
        "cypress": Options("cCre", "", "config* reporter* project env", "open|install|cache"),
        "dart": Options("D", "", "enable-* define", "run|pub|devtools|create|compile"),
        "django-admin": Options("", "", "pythonpath settings", "shell|dbshell|startproject|startapp"),
        "dune": Options("", "", "root", "exec|utop|ocaml.*|top.*|install"),
        "flake8": Options("", "", "config append-config output-file tee isolated"),
        "flask": Options("Ae", "", "app env-file", "shell|run"),
        "flutter": Options("D", "", "dart-define*", "run|drive|pub|create"),
        "gcc": Options("oB", "DIUlLW", "specs* wrapper", rf"{_LINKING}|-f?dump.*|-Xlinker", fine=_COMPILING),
        "ghc": Options(
            "eoF", "", "interactive run make", r"-(pgm|opt|package-(env|db)|f?plugin|ghci|x|out|odir|hidir|dump).*|@.*"
        ),
        "gofmt": Options(words=r"-?-(w|\w*profile|trace)(=.*)?"),
        "isort": Options("", "", "settings-path settings-file config-root"),
        "jest": Options(
            "cu",
            "t",
            "config rootDir updateSnapshot setup* runner transform* resolver globalSetup globalTeardown reporters "
            "outputFile coverageDirectory testRunner watch*",
            fine=r"--coverage(=\w+)?|--watch(All)?=false|--reporters[ =](default|github-actions|summary)",
        ),
        "latexmk": Options(words=r"-(?!(pdf|quiet|silent|f|g|c|C|halt-on-error|dvi|ps|interaction=\w+)$).+"),
        "ld": Options("oTL", "", "plugin script output", r"-(plugin|dynamic-linker|T).*|@.*"),
        "mix": Options("er", "", "eval require", r"run|eval|do|cmd|archive.*|escript.*|.*\.(install|release|server)"),
        "mocha": Options(
            "rRcu",
            "gt",
            "require reporter* config package opts file loader import node-option* ui extension watch*",
            fine=r"(-R|--reporter)[ =](spec|dot|min|json|list|tap|nyan|progress|landing)",
        ),
        "next": Options("", "", "", "dev|start|telemetry"),
        "nim": Options("rot", "", "run eval out* passC passL nimcache cc* gcc* clang*", "e|r|secret|run|.*nims"),
        "nox": Options("f", "sk", "noxfile force-venv-backend"),
        "nx": Options("", "pt", "runner", "exec|g|generate|migrate|import|add|connect.*|login"),
        "objcopy": Options("", "", "add-section dump-section plugin", "@.*", operands=2),
        "phpunit": Options("c", "", "bootstrap configuration log* coverage* printer include-path extension*"),
        "pylint": Options("", "dej", "rcfile load-plugins init-hook output output-format import-graph ext-*"),
        "rails": Options("", "", "", "console|c|runner|r|server|s|dbconsole|db|destroy|d|new|generate|g|.*install.*"),
        "rebar3": Options(words="shell|as|do|plugins|new|escriptize|hex"),
        "rollup": Options("cop", "f", "config* plugin dir file"),
        "rspec": Options("roIO", "et", "require out options default-path drb*"),
        "rubocop": Options(
            "raAoc",
            "f",
            "require auto* fix* out config plugin server format cache-root",
            fine=r"(-f|--format)[ =](simple|progress|clang|json|quiet|offenses|files|github|pacman)",
        ),
        "rustc": Options(
            "CoLZ", "A", "codegen emit sysroot out-dir extern linker* config print", "@.*"
        ),
        "rustup": Options(words="link|default|override|self"),
        "sbt": Options(words=r"(?s)-.*|@.*|!.*|;.*|.*\b(run\w*|console\w*|eval|set|session|alias)\b.*"),
        "stack": Options("", "", "stack-yaml docker* nix*", "run|exec|ghci|repl|ghc|run.*|eval|script"),
        "shfmt": Options("w", "", "write apply-*"),
        "strip": Options("o", "", "plugin output"),
        "swift": Options("XD", "", "toolchain sdk package-path", "run|repl|script|package|.*\\.swift"),
        "turbo": Options("", "", "cwd token api team cache-dir login root-turbo-json", "link|login|gen|generate"),
        "vite": Options("c", "m", "config outDir"),
        "vitest": Options(
            "cru",
            "t",
            "config root dir environment reporter* outputFile globalSetup* runner api ui update",
            fine=r"--run|--reporter[ =](default|basic|verbose|dot|json|junit|tap|tap-flat|hanging-process|tree)",
        ),
        "webpack": Options("co", "", "config* output* env require* merge plugin* entry*", "serve|init|loader|plugin"),
        "zig": Options("", "", "", "run|cc|c\\+\\+|init|fetch|build-(exe|lib|obj)|rc|lib|objcopy|ar|.*=.*"),
    }
)  # fmt: skip
"""As with other programs, plain use is what somebody means who allows one by its name alone."""
