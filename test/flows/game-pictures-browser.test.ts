import path from 'node:path';
import { objections, shootAt } from '../faces/looks.js';
import { consoleWindow } from '../support/console.js';
import { pageVisits } from '../support/page-visits.js';
import { PNG } from '../support/pictures.js';
import { openPage, WEEKLY } from '../support/public-page.js';

const { on, open } = pageVisits();

/** A JPEG of 4,000 by 3,000 pixels with noise, base64. */
const PHOTO = `(() => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [4000, 3000];
  const context = canvas.getContext('2d');
  const noise = context.createImageData(500, 3000);
  for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = (at * 2654435761 >>> 13) & 255;
  context.putImageData(noise, 0, 0);
  return canvas.toDataURL('image/jpeg', 0.95).split(',')[1];
})()`;

test('logo, cover and colour are set in the console and shown on all pages of the game', async () => {
  const { studio, game } = on.shown;
  on.watched = await consoleWindow(on.browser, on.app.url, studio.admin, `/games/${game.slug}/settings`);
  const { page, complaints } = on.watched;
  on.page = page;
  const file = (name: string, bytes: Buffer) => ({
    name,
    mimeType: `image/${path.extname(name).slice(1)}`,
    buffer: bytes,
  });
  await page.getByLabel('Accent colour of public pages').fill('#c2410c');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page
    .getByLabel('Choose logo')
    .first()
    .setInputFiles(file('logo.png', PNG.subarray(0, 60)));
  await page.getByText("Your browser can't read this file as an image.").waitFor();
  expect(complaints).toEqual([]);
  await page.getByLabel('Choose logo').first().setInputFiles(file('logo.png', PNG));
  await page.getByRole('img', { name: 'Logo' }).waitFor();
  // A photo of a phone, larger than the service stores: scaled down before it is sent.
  const photo = Buffer.from((await page.evaluate(PHOTO)) as string, 'base64');
  expect(photo.length).toBeGreaterThan(512 * 1_024);
  await page.getByLabel('Choose cover').first().setInputFiles(file('cover.jpeg', photo));
  await page.getByRole('img', { name: 'Cover' }).waitFor();
  expect(await objections(page)).toEqual([]);
  await shootAt(page, 'game-settings');
  await page.context().close();

  // Previews know no relative addresses.
  const { html } = await openPage(on.app.url + WEEKLY);
  const preview = /<meta property="og:image" content="([^"]+)">/.exec(html)?.[1];
  expect(preview).toMatch(/^https:\/\/play\.example\.com\/b\/\w+\/preview\.png\?v=\d+$/);
  expect((await fetch(on.app.url + new URL(preview!).pathname)).status).toBe(200);
  const loaded = `[...document.images].map((image) => [image.className, image.naturalWidth, image.alt])`;
  for (const address of [WEEKLY, `/games/${game.slug}`]) {
    await open(address);
    expect(await on.page.evaluate(loaded)).toEqual([
      ['cover', 1_440, ''],
      ['logo', 8, ''],
    ]);
    expect(await objections(on.page)).toEqual([]);
    await shootAt(on.page, `pictures-${address === WEEKLY ? 'board' : 'game'}`);
    await on.page.context().close();
  }
});
