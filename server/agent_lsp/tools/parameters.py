"""Parameters that several tools take, with the other names that models give them."""

from typing import Annotated

from pydantic import AliasChoices, Field

FilePath = Annotated[
    str,
    Field(
        min_length=1,
        validation_alias=AliasChoices("path", "file_path", "filePath", "filename"),
    ),
]
FolderPath = Annotated[
    str,
    Field(
        min_length=1,
        validation_alias=AliasChoices("path", "directory", "folder"),
        description="From the workspace root, which is .",
    ),
]
