"""What clients send about standing permissions, and about the folders that the user trusts."""

from typing import Literal

from agent_lsp.domain.errors import BadParams
from agent_lsp.domain.permissions import Grant, PermissionWish, Scope
from agent_lsp.lsp.wire.params import Params


class PermissionsParams(Params):
    op: Literal["list", "add", "revoke"] = "list"
    id: str | None = None
    scope: Scope | None = None
    kind: Grant | None = None
    rule: str | None = None
    root: str | None = None
    task_id: str | None = None

    def to_wish(self) -> PermissionWish:
        if self.scope is None or self.kind is None or self.rule is None:
            raise BadParams("To add a permission, give its `scope`, its `kind` and its `rule`.")
        return PermissionWish(self.scope, self.kind, self.rule, self.root, self.task_id)

    def to_id(self) -> str:
        if self.id is None:
            raise BadParams("To revoke a permission, give its `id`.")
        return self.id


class TrustParams(Params):
    op: Literal["list", "trust", "decline", "forget"] = "list"
    root: str | None = None
    digest: str | None = None

    def to_root(self) -> str:
        if self.root is None:
            raise BadParams("Give the folder as `root`.")
        return self.root

    def to_decision(self) -> tuple[str, str]:
        """The folder and what was seen of it, so that nothing is trusted that came later."""
        if self.digest is None:
            raise BadParams("Give the `digest` that `list` tells of the folder, to say what you have seen of it.")
        return self.to_root(), self.digest
