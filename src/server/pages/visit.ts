import type { Context } from 'koa';
import type { PageView } from './address.js';
import type { PageFrame } from './layout.js';
import type { RunQuery } from './queries.js';

/** One request of a page. */
export interface Visit {
  ctx: Context;
  run: RunQuery;
  view: PageView;
  frame: PageFrame;
  /** Epoch milliseconds. */
  now: number;
}
