import { texts } from '../../src/server/pages/texts.js';

/** How often the own rank is read again while the page is seen. */
const EVERY_MS = 20_000;

const nameOf = (game: string) => `leaderboard:me:${game}`;

function known(game: string): string | null {
  try {
    return localStorage.getItem(nameOf(game));
  } catch {
    return null;
  }
}

function remember(game: string, player: string | undefined): void {
  try {
    if (player === undefined) localStorage.removeItem(nameOf(game));
    else localStorage.setItem(nameOf(game), player);
  } catch {
    // A browser that stores nothing forgets.
  }
}

/** "This is me" on a player's page. It is kept on this device alone. */
function offer(button: HTMLButtonElement): void {
  const { game = '', player = '' } = button.dataset;
  const show = () => {
    button.textContent = known(game) === player ? texts.me.forget : texts.me.isMe;
  };
  show();
  button.hidden = false;
  button.addEventListener('click', () => {
    remember(game, known(game) === player ? undefined : player);
    show();
  });
}

/** The bar with the own rank and the gap to the next one, as the player's page has them. */
function showBar(bar: HTMLElement): void {
  const { game = '', players = '', code = '' } = bar.dataset;
  const { up = '' } = document.documentElement.dataset;
  const player = known(game);
  if (player === null) return;
  const address = players + encodeURIComponent(player);
  const isRanked = async () => {
    const query =
      'query($c:String!,$p:ID!){publicBoard(by:{shortCode:$c}){ranking{entry(identityId:$p){rank}}}}';
    const body = JSON.stringify({ query, variables: { c: code, p: player } });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${up}graphql`, { method: 'POST', body, headers }).catch(() => undefined);
    return (await answer?.json().catch(() => undefined))?.data?.publicBoard?.ranking?.entry != null;
  };
  const read = async () => {
    // A player who is not on this board has no page.
    if (!(await isRanked())) return;
    const answer = await fetch(address, { cache: 'no-cache' }).catch(() => undefined);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const facts = page.querySelector('#player-facts');
    const name = page.querySelector('h1')?.textContent ?? '';
    if (!facts) return;
    const link = document.createElement('a');
    link.href = address;
    link.textContent = name;
    bar.replaceChildren(link, document.adoptNode(facts));
    facts.removeAttribute('id');
    bar.hidden = false;
  };
  void read();
  setInterval(() => document.hidden || void read(), EVERY_MS);
}

export function knowOwnRank(): void {
  const button = document.querySelector<HTMLButtonElement>('#me');
  if (button) offer(button);
  const bar = document.querySelector<HTMLElement>('#own-rank');
  if (bar) showBar(bar);
}
