import type { Context } from 'koa';
import { SharedPages } from '../../src/server/pages/send.js';

/** As much of a request as a page needs. */
const request = () =>
  ({ set: () => undefined, vary: () => undefined, acceptsEncodings: () => false }) as unknown as Context;

test('pages of one board that take long hold up no page of another board, and visitors who come together share a page', async () => {
  const pages = new SharedPages();
  let made = 0;
  let letGo: () => void = () => undefined;
  const slow = new Promise<string>((resolve) => {
    letGo = () => resolve('slow');
  });
  const visit = (id: string, board: string, page: () => Promise<string>) => {
    const ctx = request();
    const make = async () => {
      made += 1;
      return { etag: id, page };
    };
    return pages.send({ id, board, ctx, make }).then(() => ctx.body);
  };
  const held = Array.from({ length: 20 }, (_, n) => visit(`slow ${n}`, 'one', () => slow));
  const other = Array.from({ length: 20 }, () => visit('page', 'two', async () => 'fast'));
  expect(await Promise.all(other)).toEqual(other.map(() => 'fast'));
  // Two of the slow board have begun.
  expect(made).toBe(3);
  letGo();
  expect(await Promise.all(held)).toEqual(held.map(() => 'slow'));
  expect(made).toBe(21);
});
