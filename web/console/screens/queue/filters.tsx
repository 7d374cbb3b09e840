import { useNavigate, useSearch } from '@tanstack/react-router';
import { useGames } from '../../api/games.js';
import { useStore } from '../../api/store.js';
import { SelectField } from '../../parts/controls.js';
import { Fold } from '../../parts/fold.js';
import { pending } from '../../shell/pending.js';
import { t } from '../../texts.js';
import { BoardFilter } from './board-filter.js';
import type { Filter } from './rows.js';

/** The number of waiting flags, and what limits the list. */
export function Filters({ filter: { gameId, boardId } }: { filter: Filter }) {
  const search = useSearch({ from: '/moderation' });
  const navigate = useNavigate({ from: '/moderation' });
  const { games = [] } = useGames();
  const waits = useStore(pending);
  const pick = (changes: Record<string, string | undefined>) =>
    void navigate({ search: { ...search, flag: undefined, ...changes } });
  const more = [search.board, search.confidence, search.tier].some(Boolean);
  return (
    <div className="flags-head">
      <div>
        <h1>{t.nav.moderation}</h1>
        {waits !== null && <span className="soft small">{t.queue.pending(waits)}</span>}
      </div>
      <div className="flags-filters">
        <SelectField
          bare
          label={t.queue.game}
          value={search.game ?? ''}
          options={[['', t.queue.allGames], ...games.map(({ slug, name }) => [slug, name] as const)]}
          onPick={(slug) => pick({ game: slug || undefined, board: undefined })}
        />
        <SelectField
          bare
          label={t.queue.kind}
          value={search.kind ?? ''}
          options={[['', t.queue.allKinds], ...Object.entries(t.queue.kinds)]}
          onPick={(kind) => pick({ kind: kind || undefined })}
        />
      </div>
      <Fold title={t.queue.more} open={more} faulty={false}>
        <div className="flags-filters">
          <SelectField
            bare
            label={t.queue.filterConfidence}
            value={search.confidence ?? ''}
            options={[['', t.queue.anyConfidence], ...Object.entries(t.queue.confidence).reverse()]}
            onPick={(confidence) => pick({ confidence: confidence || undefined })}
          />
          <SelectField
            bare
            label={t.queue.filterTier}
            value={search.tier ?? ''}
            options={[['', t.queue.allTiers], ...Object.entries(t.queue.tiers)]}
            onPick={(tier) => pick({ tier: tier || undefined })}
          />
          <BoardFilter gameId={gameId} boardId={boardId} onPick={(board) => pick({ board })} />
        </div>
      </Fold>
    </div>
  );
}
