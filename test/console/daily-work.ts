import type { Locator, Page } from 'playwright-core';

/** The work of a person's hands: keys of the console, clicks, and texts that are typed. */
export class Hands {
  keys = 0;
  clicks = 0;
  texts = 0;

  constructor(readonly page: Page) {}

  async press(key: string): Promise<void> {
    this.keys += 1;
    await this.page.keyboard.press(key);
  }

  async click(place: Locator): Promise<void> {
    this.clicks += 1;
    await place.click();
  }

  /** Types where the cursor is. */
  async type(text: string): Promise<void> {
    this.texts += 1;
    await this.page.keyboard.type(text);
  }

  get count(): string {
    return `${this.keys} keys, ${this.clicks} clicks, ${this.texts} texts`;
  }
}

/** From the overview to a template that makes a board each week. */
export async function createWeeklyBoard(page: Page, name: string): Promise<Hands> {
  const hands = new Hands(page);
  await hands.click(page.getByRole('link', { name: 'New board' }));
  await hands.click(page.getByLabel('Name', { exact: true }));
  await hands.type(name);
  await hands.click(page.getByRole('radio', { name: 'Repeating' }));
  await hands.click(page.getByRole('button', { name: 'Create template' }));
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return hands;
}

/** From the overview through so many players with flags, whose decisions are then on their way; every third one is fair. */
export async function decideFlags(page: Page, players: number): Promise<Hands> {
  const hands = new Hands(page);
  await hands.click(page.getByRole('link', { name: 'Review flags' }));
  await page.locator('.flag-row[aria-current]').waitFor();
  for (let n = 0; n < players; n += 1) await hands.press(n % 3 === 2 ? 'f' : 'c');
  return hands;
}

/** From anywhere to a player of the present game, who is banned and unbanned. */
export async function banAndUndo(page: Page, player: string): Promise<Hands> {
  const hands = new Hands(page);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await hands.press('/');
  await hands.type(player);
  await page.locator('.found a .name', { hasText: player }).waitFor();
  await hands.press('Enter');
  await hands.click(page.getByRole('button', { name: 'Ban device' }));
  await page.getByText(/device of .* banned/).waitFor();
  await hands.click(page.getByRole('status').getByRole('button', { name: 'Undo' }));
  await page.getByText(/unbanned$/).waitFor();
  return hands;
}

/** From anywhere to a player who misses a run, which is marked fair. */
export async function repairRun(page: Page, player: string): Promise<Hands> {
  const hands = new Hands(page);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await hands.press('/');
  await hands.type(player);
  await page.locator('.found a .name', { hasText: player }).waitFor();
  await hands.press('Enter');
  await page.getByText(/^Held, would be/).waitFor();
  await hands.press('f');
  return hands;
}
