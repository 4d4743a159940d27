"""The agent for clients without a plugin, made of what any LSP client can show. No `agent/*` message is sent here."""
