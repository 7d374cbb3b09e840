import { useState } from 'react';
import type { GameName } from '../../api/games.js';
import { useAccountId } from '../../api/me.js';
import { HistoryCard } from '../../charts/history.js';
import { SelectField } from '../../parts/controls.js';
import { t } from '../../texts.js';

/** The history of the account, or of one of its games. */
export function Activity({ games }: { games: GameName[] | undefined }) {
  const accountId = useAccountId();
  const [game, setGame] = useState('');
  const options = [
    ['', t.queue.allGames],
    ...(games ?? []).map(({ id, name }) => [id, name] as const),
  ] as const;
  const chosen = games?.some(({ id }) => id === game) ? game : '';
  return (
    <HistoryCard
      className="apart"
      id={chosen || accountId}
      choices={
        (games?.length ?? 0) > 1 && (
          <SelectField bare label={t.queue.game} value={chosen} options={options} onPick={setGame} />
        )
      }
    />
  );
}
