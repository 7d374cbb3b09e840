import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { GamesQuery as Answer } from '../generated/graphql.js';
import { GamesQuery } from './first-operations.js';
import { useRead } from './hooks.js';
import { useAccountId } from './me.js';
import { lastGame } from './session.js';
import { useStore } from './store.js';

export type GameName = Answer['games']['nodes'][number];

/** The games of the account, by name. */
export function useGames() {
  const read = useRead(GamesQuery, { accountId: useAccountId() });
  return { ...read, games: read.data?.games.nodes };
}

/** The game of the address, else the one that was opened last, else the first. */
export function useCurrentGame(): GameName | undefined {
  const { slug } = useParams({ strict: false });
  const { games } = useGames();
  const last = useStore(lastGame);
  useEffect(() => {
    if (slug) lastGame.set(slug);
  }, [slug]);
  return games?.find((game) => game.slug === (slug ?? last)) ?? (slug ? undefined : games?.[0]);
}
