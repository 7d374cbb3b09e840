import pg from 'pg';

/**
 * Parts of the driver that its types leave out. Their source is compared by test/units/driver.test.ts, so that another
 * version of the driver is read before it is used.
 */

/** What the server has said about the columns of a statement. */
export interface DriverColumns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

export interface DriverConnection {
  stream: { write(bytes: Buffer): void };
  /** Texts by name, once the server has parsed them. */
  parsedStatements: Record<string, string | undefined>;
}

export type DriverCallback = (error: Error | null, result?: unknown) => void;

interface DriverQuery {
  name: string;
  values: unknown[] | undefined;
  callback: DriverCallback | undefined;
  query_timeout?: number | undefined;
  _result: DriverColumns;
  _accumulateRows: boolean;
  /** Sends PARSE (unless it was sent), BIND, DESCRIBE, EXECUTE and SYNC, each as a message of its own. */
  prepare(connection: DriverConnection): void;
  handleRowDescription(message: unknown): void;
}

/** Takes the arguments of `client.query`, which takes it in their place. */
export const DriverQuery = (pg as unknown as { Query: new (...given: unknown[]) => DriverQuery }).Query;

/** Converts a parameter to text or bytes. */
export const { prepareValue } = require('pg/lib/utils') as { prepareValue(value: unknown): unknown };
