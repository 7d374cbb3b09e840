/** One line of a file: its number there, and its values by the names of the file. */
export interface FileRecord {
  line: number;
  values: Record<string, unknown>;
  /** The reason why the line cannot be read. */
  fault?: string;
  /** True if the user wants only other lines. */
  isLeftOut?: boolean;
}

/** The lines of a file. */
export interface FileTable {
  /** Names of the columns; undefined: each line names its own. */
  columns?: readonly string[];
  records: AsyncIterable<FileRecord>;
  /** The reason why the file is incomplete, once all lines are read. */
  missing(): string | undefined;
  /** True for an export of the service, which may have no lines: where `columns` do not say it, once all lines are read. */
  isExport?(): boolean;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
