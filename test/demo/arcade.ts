import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type WatchedPage, watchedPage } from '../support/browser.js';
import type { Caller, Data } from '../support/http.js';
import type { Demo } from './demo.js';

const RUN_MS = 60_000;

interface Opening {
  /** Of the address; by default the same course each time, which is not the board's. */
  query?: string;
  viewport?: { width: number; height: number };
  options?: BrowserContextOptions;
}

/** The game of the demo in a browser. */
export class Arcade {
  private constructor(
    readonly page: Page,
    readonly watched: WatchedPage,
  ) {}

  static async open(browser: Browser, { url }: Demo, opening: Opening = {}): Promise<Arcade> {
    const { viewport, options, query = '?seed=7' } = opening;
    const watched = await watchedPage(browser, url, viewport, options);
    await watched.page.goto(`${url}/arcade/${query}`);
    const arcade = new Arcade(watched.page, watched);
    await arcade.ready();
    return arcade;
  }

  /** The places of the board are there. */
  async ready(): Promise<void> {
    await this.page.locator('#places li').first().waitFor();
  }

  get result() {
    return this.page.locator('#result');
  }

  get arrival() {
    return this.page.locator('#arrival');
  }

  get plug() {
    return this.page.locator('#plug');
  }

  get waiting() {
    return this.page.locator('#waiting');
  }

  /** Steers with short strokes until the run is over. @returns its points */
  async play(start: () => Promise<unknown>, stroke: () => Promise<unknown>): Promise<number> {
    await this.page.locator('#go:enabled').waitFor();
    await start();
    await this.page.locator('#card').waitFor({ state: 'hidden' });
    await stroke();
    return this.points();
  }

  /** Points of the run once it is over. */
  async points(): Promise<number> {
    const headline = this.page.locator('#headline', { hasText: /^[\d,]+ points$/ });
    await headline.waitFor({ timeout: RUN_MS });
    return Number((await headline.textContent())!.replace(/\D/g, ''));
  }

  /** Its player's id, from the session that the client has stored. */
  async player(): Promise<string> {
    return this.page.evaluate<string>(
      "Object.entries(localStorage).map(([name, text]) => name.endsWith(':session') && JSON.parse(text).identityId).find(Boolean)",
    );
  }
}

/** Kinds of the flags on a player's runs. */
export async function flagsOn(admin: Caller, player: string): Promise<string[]> {
  const { scoreFlags } = await admin.data(
    `{ scoreFlags(filter: {identityId: "${player}"}, first: 100) { nodes { flagType } } }`,
  );
  return scoreFlags.nodes.map(({ flagType }: Data) => flagType);
}

/** Values of a player's runs in the event log, oldest first. */
export async function runsOf(admin: Caller, player: string): Promise<number[]> {
  const { scoreEvents } = await admin.data(
    `{ scoreEvents(filter: {identityId: "${player}"}, orderBy: {field: CREATED_AT}, first: 100) { nodes { value } } }`,
  );
  return scoreEvents.nodes.map(({ value }: Data) => value);
}
