import { startApp, type TestApp } from '../support/app.js';
import { register } from '../support/mail.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('names in other scripts are transliterated; those that leave no slug get a random one', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, { name: 'Звёздный путь' });
  expect(game.slug).toBe('zvezdnyy-put');
  expect((await makeGame(studio, { name: '★★★' })).slug).toMatch(/^game-[2-9a-z]{6}$/);
  const hearts = [1, 2].map(() => makeBoard(studio, game.id, { name: '★!' }));
  const slugs = (await Promise.all(hearts)).map(({ slug }) => slug);
  expect(slugs).toEqual([1, 2].map(() => expect.stringMatching(/^board-[2-9a-z]{6}$/)));
  expect(new Set(slugs).size).toBe(2);
  const registered = await register(app, 'mika@example.com', { account_name: '★' });
  expect(registered.account_slug).toMatch(/^account-[2-9a-z]{6}$/);
});

test('names that share a slug of 50 characters are numbered within it', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const made = [];
  for (let n = 1; n <= 3; n += 1) made.push(await makeBoard(studio, game.id, { name: 'я'.repeat(100) }));
  const full = 'ya'.repeat(25);
  expect(made.map(({ slug }) => slug)).toEqual([full, `${full.slice(0, 48)}-2`, `${full.slice(0, 48)}-3`]);
});
