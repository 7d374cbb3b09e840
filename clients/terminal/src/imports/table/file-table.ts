/** One line of a file: its number there, and its values by the names of the file. */
export interface FileRecord {
  line: number;
  values: Record<string, unknown>;
  /** The line cannot be read. */
  fault?: string;
  /** The user wants others alone. */
  isLeftOut?: boolean;
}

/** The lines of a file. */
export interface FileTable {
  /** Undefined: each line names its own. */
  columns?: readonly string[];
  records: AsyncIterable<FileRecord>;
  /** Once all lines are read: the reason why the file is incomplete. */
  missing(): string | undefined;
  /** Once all lines are read, where `columns` do not say it: true for an export of the service, which may have no lines. */
  isExport?(): boolean;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
