import type { Context } from 'koa';

/** Whether a visitor without any credential may go on. Rejects with the DomainError that refuses it. */
export type VisitLimit = (ctx: Context) => Promise<void>;
