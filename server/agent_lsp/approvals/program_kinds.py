"""What kind of program a name stands for: harmless ones, interpreters, those that always ask; and its other names."""

from collections.abc import Mapping
from types import MappingProxyType

from agent_lsp.approvals.option_tables import Options
from agent_lsp.approvals.tables import words_of

HARMLESS = words_of(
    """ls cat echo head tail wc pwd cut tr true false : basename dirname realpath readlink stat type which
    whereis whatis
    apropos du df ps id whoami uname uptime cal seq sleep expr nl tac rev fold fmt paste join comm cmp md5sum sha1sum
    sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump strings size free nproc arch tty locale getconf
    groups lsblk lscpu lsof pgrep pidof who w users last vdir dir logname factor numfmt tsort unexpand expand ptx
    dircolors pathchk mktemp kill pkill killall rmdir mkdir touch cp mv ln rm chmod chown chgrp sync yes
    zcat bzcat xzcat zstdcat base64 base32 grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep host ping tput column
    look getent
 exit return break continue shift times popd dirs logout caller"""
)
"""None of their options makes them do more than the plain use that was allowed."""

INTERPRETERS: Mapping[str, Options] = MappingProxyType(
    {
        "python": Options("bBdEIOPsSuvqVhx", "WX", "version help"),
        "pypy": Options("BEIOsSuvqVhx", "WX", "version help"),
        "perl": Options("vwtTWXcuU", "", "version help"),
        "ruby": Options("vwcy", "W", "version help verbose"),
        "node": Options(
            "vhc", "", "version help check trace-warnings no-warnings test enable-source-maps max-old-space-size"
        ),
        "php": Options("vlimhqn", "", "version help syntax-check modules info"),
        "lua": Options("vEW"),
        "luajit": Options("v"),
        "rscript": Options("", "", "version help vanilla no-save no-restore"),
        "r": Options("q", "", "version help vanilla no-save no-restore quiet slave no-echo"),
        "julia": Options("vhq", "", "version help"),
        "tclsh": Options(),
        "wish": Options(),
        "groovy": Options("v"),
        "scala": Options("v", "", "version"),
        "elixir": Options("v", "", "version"),
        "erl": Options(words="-version|-noshell|-noinput"),
        "java": Options("", "", "version help", words=r"-version|-showversion|-jar|-ea|-X(mx|ms|ss)\w+"),
        "ts-node": Options("vh", "", "version help"),
        "tsx": Options("vh", "", "version help"),
        "osascript": Options(),
        "guile": Options("v"),
        "racket": Options("v"),
        "swipl": Options(),
        "ghci": Options(),
        "gnuplot": Options("V"),
        "octave": Options("q"),
        "dc": Options("V"),
        "m4": Options("PEs"),
    }
)
"""Here the options are those that are harmless; any other may bring a program along."""

ALWAYS_ASKING = words_of(
    """vi vim vimdiff view nvim gvim gvimdiff ex sudoedit editor sensible-editor sensible-pager sensible-browser
    xdg-open open gio wslview jshell ldd emacs emacsclient nano pico ed red micro kak hx helix joe mcedit gpg gpg2
    openssl ssh-keygen
    ssh-add ssh-agent ssh-copy-id sqlite3 psql mysql mariadb mongo mongosh redis-cli socat telnet ftp lftp
    tftp smbclient
    mail mailx mutt sendmail at batch systemd-run launchctl dialog whiptail fzf sk gdb lldb radare2 r2 irb
    pry ipython timeit pdb jupyter cscope ctags nix nix-env nix-build guix vagrant packer capsh debugfs mkfs fdisk
    parted losetup
    insmod modprobe sysctl iptables nft ip tcpkill reboot shutdown halt poweroff mount umount chsh passwd useradd
    usermod visudo vipw vigr update-alternatives ldconfig dmsetup cryptsetup kexec bpftrace dtrace stap"""
)
"""Their plain use already runs, writes or sends what their words or their own files say."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "cc": "gcc", "c++": "gcc", "g++": "gcc", "tcc": "gcc", "clang++": "clang", "pip3": "pip", "podman": "docker",
        "apt-get": "apt", "apt-cache": "apt", "ncat": "nc", "netcat": "nc", "pdflatex": "latex", "xelatex": "latex",
        "lualatex": "latex", "tex": "latex", "pdftex": "latex", "fdfind": "fd", "batcat": "bat", "gradlew": "gradle",
        "mvnw": "mvn", "magick": "convert", "py.test": "pytest", "yum": "dnf", "zstdmt": "zstd",
        "gfind": "find", "gsort": "sort", "gdate": "date", "oc": "kubectl", "ack-grep": "ack", "goimports": "gofmt",
        "xz": "gzip", "bzip2": "gzip", "gunzip": "gzip", "unxz": "gzip", "bunzip2": "gzip", "nosetests": "pytest",
        "manage.py": "django-admin", "hub": "gh", "xh": "http", "https": "http", "7za": "7z", "7zr": "7z", "7zz": "7z",
    }
)  # fmt: skip

RISKY_NAMES = words_of(
    """exec execute command cmd program prog pager editor output out outfile write config rcfile rc init eval expr
    require plugin plugins load loader lib library shell rsh ssh script inplace place delete remove upload filter hook
    hooks pre post run launch open import module macro wrapper compiler linker compress exe bin interpreter action
    proxy rpath preload save log logfile dump export install cd chdir directory root prefix browser
    fix apply addon rules formatter autoload"""
)
"""Words in the names of options that ask where no table knows the program."""

RISKY_LETTERS = frozenset("ceofrixOCDIX")
"""Options of one letter that do: most often they name a command, a file with code or options, or one to be written."""

RISKY_FIRST_WORDS = words_of("run exec eval shell console repl runner script x")
"""First words that do."""

FINE_NAMES = words_of("--dry-run --output-on-failure --output-format --log-level --no-cache --no-exec --format")
"""Names of options that hold such a word and do not."""
