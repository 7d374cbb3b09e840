import type { Page } from 'playwright-core';

/** Fills the form of a new board in: a zone, a tag of players, a weekly view by it, and one by country whose name is refused. */
export async function declareViews(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  for (const view of ['Weekly', 'By country']) await page.getByRole('checkbox', { name: view }).check();
  await page.getByText('Calendar and ties').click();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByText('Tags of runs and players').click();
  await page.getByRole('button', { name: 'Add tag' }).click();
  await page.getByLabel('Tag name').fill('guild');
  await page.getByLabel('Belongs to').selectOption('PLAYER');
  await page.getByLabel('Values', { exact: true }).fill('Ravens, Owls');
  const weekly = page.locator('details', { hasText: 'Remove weekly' });
  await weekly.getByText('weekly', { exact: true }).click();
  await weekly.getByLabel('guild').check();
  await weekly.getByLabel('Ties').selectOption('DENSE');
  await weekly.getByLabel('Past periods kept').fill('12');
  await page.locator('summary', { hasText: 'country' }).first().click();
  await page.getByLabel('Ranking name').last().fill('By land');
}
