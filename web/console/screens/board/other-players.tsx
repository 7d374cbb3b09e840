import { useRead } from '../../api/hooks.js';
import { t } from '../../texts.js';
import { FindPlayersQuery } from '../players/operations.js';

interface OtherPlayersProps {
  slug: string;
  name: string;
  /** Players who are shown already. */
  shown: ReadonlySet<string>;
  chosen: string | undefined;
  onChoose(identityId: string): void;
}

/** Players of the game outside the shown places, by the beginning of their names. */
export function OtherPlayers({ slug, name, shown, chosen, onChoose }: OtherPlayersProps) {
  const { data } = useRead(FindPlayersQuery, { slug, name, first: 10 });
  const found = data?.game.findIdentities?.filter(({ id }) => !shown.has(id));
  if (!found) return null;
  return (
    <section className="others">
      <h3 className="small faint-text">{t.live.others(name)}</h3>
      {found.length === 0 && <p className="small soft">{t.live.noOthers}</p>}
      <div className="actions">
        {found.map(({ id, displayName }) => (
          <button
            type="button"
            key={id}
            className="button plain name"
            aria-pressed={id === chosen}
            onClick={() => onChoose(id)}
          >
            {displayName || id}
          </button>
        ))}
      </div>
    </section>
  );
}
