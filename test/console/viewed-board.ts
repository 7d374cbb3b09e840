import type { Page } from 'playwright-core';

/** Fills the form of a new board in: a zone, a tag of players, a weekly view by it, and one by country whose name is refused. */
export async function declareViews(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  for (const view of ['Weekly', 'By country']) await page.getByRole('checkbox', { name: view }).check();
  await page.getByText('Days, weeks and equal values').click();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByText('Tags of runs and players').click();
  await page.getByRole('button', { name: 'Add a tag' }).click();
  await page.getByLabel('Name of the tag').fill('guild');
  await page.getByLabel('Comes with').selectOption('PLAYER');
  await page.getByLabel('Values', { exact: true }).fill('Ravens, Owls');
  const weekly = page.locator('details', { hasText: 'Remove weekly' });
  await weekly.getByText('weekly', { exact: true }).click();
  await weekly.getByLabel('guild').check();
  await weekly.getByLabel('Equal values').selectOption('DENSE');
  await weekly.getByLabel('Past periods kept').fill('12');
  await page.locator('summary', { hasText: 'country' }).first().click();
  await page.getByLabel('Name of the ranking').last().fill('By land');
}
