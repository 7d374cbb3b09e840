/** Records that an export can contain, by the parameter `what`. */
export const EXPORTED = ['standings', 'events', 'players', 'flags'] as const;
export type Exported = (typeof EXPORTED)[number];

/** Formats of exports, by the parameter `format`. */
export const EXPORT_FORMATS = ['csv', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The record whose boards are exported, or the player. Ids prefixed. */
export interface ExportScope {
  kind: 'board' | 'game' | 'account' | 'identity';
  id: string;
}

/** An export that may begin; its place among the running ones is free again when `lines` ends or is left. */
export interface OpenExport {
  /** Media type. */
  type: string;
  /** Text in pieces of about a thousand lines. Rejects when the export cannot be completed. */
  lines: AsyncGenerator<string>;
}

/** A ranking of a view, as a request names it. */
export interface ExportedView {
  view?: string | undefined;
  of?: string | undefined;
  where?: string | undefined;
}
