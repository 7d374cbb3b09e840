import type { Context } from 'koa';

/** Checks an anonymous visitor against the limits. Rejects with the DomainError that refuses the request. */
export type VisitLimit = (ctx: Context) => Promise<void>;
