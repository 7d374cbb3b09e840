/** A page as received, without scripts. */
export interface PublicPage {
  status: number;
  headers: Headers;
  html: string;
}

export const WEEKLY = '/games/moonlit-drift/boards/weekly';

export async function openPage(url: string, headers: Record<string, string> = {}): Promise<PublicPage> {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, html: await answer.text() };
}

export function textOf(html: string): string {
  return html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Places as `rank name value`. */
export function places({ html }: PublicPage): string[] {
  return [...html.matchAll(/<li id="rank-.*?<\/li>/gs)].map(([item]) => textOf(item));
}
