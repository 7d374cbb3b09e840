import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { bodyParser } from '@koa/bodyparser';
import { verify } from 'jsonwebtoken';
import Koa from 'koa';
import pg from 'pg';
import { serveJobs } from './child.js';

/** The HTTP layer below it. */
export interface BareJob {
  connectionString: string;
  jwtSecret: string;
}

/**
 * The least that a submission over Koa can cost: the body is parsed, the token is checked (once, then cached), the
 * database runs one prepared `SELECT 1`, and a response shaped like a score is written. Returns its port.
 */
serveJobs(({ connectionString, jwtSecret }: BareJob): Promise<number> => {
  const pool = new pg.Pool({ connectionString, max: 10 });
  const key = createSecretKey(jwtSecret, 'utf8');
  const verified = new Map<string, unknown>();
  const app = new Koa();
  app.use(bodyParser({ enableTypes: ['json'] }));
  app.use(async (ctx) => {
    const token = ctx.get('authorization').slice('Bearer '.length);
    if (!verified.has(token)) verified.set(token, verify(token, key));
    await pool.query({ name: 'one', text: 'select 1 as one' });
    const { board_id, player_name, value, metadata } = ctx.request.body as Record<string, unknown>;
    const now = new Date();
    ctx.status = 201;
    ctx.body = {
      id: 'scr_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d',
      account_id: 'acc_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d',
      game_id: 'gam_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d',
      board_id,
      identity_id: 'ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c1d',
      player_name,
      value,
      metadata,
      rank: 1,
      status: 'active',
      is_test: false,
      is_placeholder: false,
      created_at: now,
      updated_at: now,
    };
  });
  return new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
});
