import { type Attributes, SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { failSpan, startSpan } from '../../base/tracing.js';

type Query = (first: unknown, ...more: unknown[]) => unknown;
type Answered = (error: Error | null | undefined, result?: unknown) => void;

const TABLE = /\b(?:from|into|update)\s+"?([a-z_]+)/i;

/** The statement's name, or its verb and first table. Values and texts of statements stay out of traces. */
function summary(query: unknown): string {
  const { name, text } = (typeof query === 'object' ? query : { text: query }) as pg.QueryConfig;
  if (name) return name;
  const verb = /\w+/.exec(text)?.[0].toLowerCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}

/** A statement in a form of its own (cursor, copy) has no single answer. */
function isSubmittable(query: unknown): boolean {
  return typeof (query as { submit?: unknown } | null)?.submit === 'function';
}

/** Makes a span of every statement of a connection that runs within a request's span. */
export function traceStatements(client: pg.Client | pg.PoolClient): void {
  const query = client.query.bind(client) as Query;
  const traced: Query = (first, ...more) => {
    const span = isSubmittable(first) ? undefined : begin(first);
    if (!span) return query(first, ...more);
    const end = (error?: (Error & { code?: string }) | null) => {
      if (error) failSpan(span, error.code);
      else span.end();
    };
    const answered = more.at(-1);
    if (typeof answered === 'function') {
      const ended: Answered = (error, result) => {
        end(error);
        (answered as Answered)(error, result);
      };
      return query(first, ...more.slice(0, -1), ended);
    }
    const sent = query(first, ...more) as Promise<unknown>;
    sent.then(() => end(), end);
    return sent;
  };
  client.query = traced as typeof client.query;
}

function begin(query: unknown) {
  const name = summary(query);
  const attributes: Attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
  return startSpan(name, attributes, SpanKind.CLIENT);
}

/**
 * The same for all connections of a pool. A statement that waits for a connection would be sent within the span of the
 * request that returned it, hence the own `query`.
 */
export function tracePool(pool: pg.Pool): void {
  pool.on('connect', traceStatements);
  const query = async (...given: Parameters<Query>) => {
    const client = await pool.connect();
    let failure: Error | undefined;
    try {
      return await (client.query as Query)(...given);
    } catch (error) {
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  };
  pool.query = query as typeof pool.query;
}
