"""Which tools a mode has: each belongs to a group, or is there in all of them. Pure."""

from collections.abc import Mapping

from agent_lsp.domain.modes import Mode, ToolGroup

IN_EVERY_MODE = frozenset(
    ("ask_followup_question", "attempt_completion", "switch_mode", "update_todo_list", "run_slash_command", "skill")
)

GROUPS: Mapping[str, ToolGroup] = {
    **dict.fromkeys(("read_file", "list_files", "search_files", "list_code_definition_names"), ToolGroup.READ),
    **dict.fromkeys(("diagnostics", "find_definition", "find_references"), ToolGroup.READ),
    **dict.fromkeys(("apply_diff", "edit_file", "apply_patch", "write_to_file"), ToolGroup.EDIT),
    **dict.fromkeys(("execute_command", "read_command_output"), ToolGroup.COMMAND),
    **dict.fromkeys(("browser_action", "fetch_url"), ToolGroup.BROWSER),
    **dict.fromkeys(("use_mcp_tool", "access_mcp_resource"), ToolGroup.MCP),
}


def is_offered(tool: str, mode: Mode) -> bool:
    """Whether a mode has this tool. One that nobody has put into a group is there only where all of them are."""
    if tool in IN_EVERY_MODE:
        return True
    group = ToolGroup.MCP if tool.startswith("mcp--") else GROUPS.get(tool)
    return mode.groups == frozenset(ToolGroup) if group is None else group in mode.groups
