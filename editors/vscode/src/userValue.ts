// Which of a setting's values counts: the user's. A workspace comes from somewhere, and says nothing for its user.

export interface Inspected<T> {
  readonly globalValue?: T;
  readonly workspaceValue?: T;
  readonly workspaceFolderValue?: T;
}

/** The value that the user wrote. VS Code keeps back a workspace's, too, but older ones not where it is nested. */
export function userValue<T>(found: Inspected<T> | undefined): T | undefined {
  return found?.globalValue;
}
