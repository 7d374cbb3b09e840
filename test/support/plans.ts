import pg from 'pg';
import { type Database, sessionConfig } from '../../src/db/pool.js';

interface Statement {
  text: string;
  values: unknown[];
  /** True if it ran on the score plane's connections, which use fixed plans. */
  scores: boolean;
}

/** One node of EXPLAIN (ANALYZE, FORMAT JSON). */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  /** Pages, including those of child nodes and nested calls. */
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** The work done by the statements of one request. */
export interface Work {
  /** Tables read from end to end, if larger than a page or two. */
  scanned: string[];
  /** The largest number of rows in a sort. */
  sorted: number;
  /** Rows visited in tables and indexes, whether returned or not. */
  read: number;
  /** The most pages touched by a database function, whose inner plan is not reported. */
  pages: number;
}

/** Records what a service sends to its database, and asks the database to explain it. */
export class PlanWatch {
  readonly #seen: Statement[] = [];
  /** A statement that runs with every page, e.g. for the caller's key, is only explained once. */
  readonly #known = new Map<string, PlanNode>();
  readonly #records: pg.Client;
  readonly #pool: pg.Pool;
  readonly #ask: pg.Pool['query'];

  private constructor(database: Database) {
    this.#records = new pg.Client(sessionConfig(database.connectionString, 'leaderboard plans'));
    const { knex, pool } = database;
    knex.on('query', ({ sql, bindings }: { sql: string; bindings?: readonly unknown[] }) => {
      this.#seen.push({ text: sql, values: [...(bindings ?? [])], scores: false });
    });
    this.#pool = pool;
    this.#ask = pool.query.bind(pool);
    Object.assign(pool, {
      query: (query: pg.QueryConfig) => {
        this.#seen.push({ text: query.text, values: query.values ?? [], scores: true });
        return this.#ask(query);
      },
    });
  }

  static async on(database: Database): Promise<PlanWatch> {
    const watch = new PlanWatch(database);
    await watch.#records.connect();
    return watch;
  }

  close(): Promise<void> {
    Object.assign(this.#pool, { query: this.#ask });
    return this.#records.end();
  }

  /** Runs a request, then explains each statement it sent. */
  async workOf<T>(request: () => Promise<T>): Promise<{ answer: T; work: Work }> {
    this.#seen.length = 0;
    const answer = await request();
    const work: Work = { scanned: [], sorted: 0, read: 0, pages: 0 };
    for (const statement of [...this.#seen]) {
      if (!/^\s*[(]?(select|with)\b/i.test(statement.text)) continue;
      add(work, await this.#explained(statement));
    }
    return { answer, work };
  }

  async #explained(statement: Statement): Promise<PlanNode> {
    const key = JSON.stringify(statement);
    const plan = this.#known.get(key) ?? (await this.#explain(statement));
    this.#known.set(key, plan);
    return plan;
  }

  async #explain({ text, values, scores }: Statement): Promise<PlanNode> {
    const explain = { text: `explain (analyze, timing off, buffers, format json) ${text}`, values };
    const { rows } = scores ? await this.#ask(explain) : await this.#records.query(explain);
    return (rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan;
  }
}

const A_HANDFUL = 100;

function add(work: Work, node: PlanNode): void {
  const loops = node['Actual Loops'];
  const relation = node['Relation Name'];
  if (relation) {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const read = (node['Actual Rows'] + removed) * loops;
    work.read += read;
    // Background work only touches a handful of rows.
    if (node['Node Type'] === 'Seq Scan' && read > A_HANDFUL) work.scanned.push(relation);
  }
  if (node['Node Type'] === 'Function Scan') {
    work.pages = Math.max(work.pages, node['Shared Hit Blocks'] + node['Shared Read Blocks']);
  }
  const below = node.Plans ?? [];
  if (node['Node Type'].endsWith('Sort')) {
    work.sorted = Math.max(work.sorted, ...below.map((plan) => plan['Actual Rows'] * plan['Actual Loops']));
  }
  for (const plan of below) add(work, plan);
}
