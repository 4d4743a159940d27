"""The floor for a start: a pygls server that does nothing, started the plain way."""

from pygls.lsp.server import LanguageServer

LanguageServer("bare", "0").start_io()
