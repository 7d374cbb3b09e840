import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Amount } from '../../parts/amount.js';
import { count, type Measured } from '../../parts/format.js';
import { Ago } from '../../parts/time.js';
import { t } from '../../texts.js';
import type { Place } from './live.js';

interface RankingProps {
  places: Place[];
  board: Measured;
  /** The player who is looked at. */
  chosen: string | undefined;
  onChoose(identityId: string): void;
  /** The verifier played the run again, which gave its value. */
  isVerified(place: Place): boolean;
}

const ARROW_MS = 3_000;

/** Rows that take their new places inside their card; an arrow only for who submitted. */
export function Ranking({ places, board, chosen, onChoose, isVerified }: RankingProps) {
  const list = useRef<HTMLDivElement>(null);
  const tops = useRef(new Map<string, number>());
  const climbs = useClimbs(places);
  useLayoutEffect(() => {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const now = new Map<string, number>();
    for (const row of list.current?.querySelectorAll<HTMLElement>('button') ?? []) {
      const id = row.dataset.id!;
      now.set(id, row.offsetTop);
      const before = tops.current.get(id);
      const moved = before === undefined ? 0 : before - row.offsetTop;
      if (moved && !still) {
        row.animate([{ transform: `translateY(${moved}px)` }, { transform: 'none' }], {
          duration: 220,
          easing: 'cubic-bezier(.2,0,0,1)',
        });
      }
    }
    tops.current = now;
  });
  return (
    <div className="ranking" ref={list}>
      {places.map((place) => {
        const climb = climbs.get(place.scoreId);
        return (
          <button
            type="button"
            key={place.scoreId}
            data-id={place.scoreId}
            aria-pressed={place.identityId === chosen}
            onClick={() => onChoose(place.identityId)}
          >
            <span className="rank">{count(place.rank)}</span>
            <span className="name">
              {place.playerName}
              {isVerified(place) && (
                <span className="verified" title={t.live.verified}>
                  <span aria-hidden="true"> ✓</span>
                  <span className="hidden-text"> {t.live.verified}</span>
                </span>
              )}
            </span>
            <span className="strong">
              <Amount of={board} value={place.value} display={place.valueDisplay} />
            </span>
            {climb ? (
              <span className="moved up">
                <span aria-hidden="true">▲ {climb}</span>
                <span className="hidden-text">{t.live.climbed(climb)}</span>
              </span>
            ) : (
              <Ago className="moved" at={place.updatedAt} />
            )}
          </button>
        );
      })}
    </div>
  );
}

/** Places that players gained by a run of their own, for three seconds. */
function useClimbs(places: Place[]): Map<string, number> {
  const before = useRef(new Map<string, Place>());
  const [climbs, setClimbs] = useState(new Map<string, number>());
  useEffect(() => {
    const found: [string, number][] = [];
    for (const place of places) {
      const old = before.current.get(place.scoreId);
      if (old && old.value !== place.value && old.rank > place.rank)
        found.push([place.scoreId, old.rank - place.rank]);
    }
    before.current = new Map(places.map((place) => [place.scoreId, place]));
    if (found.length === 0) return;
    setClimbs((last) => new Map([...last, ...found]));
    setTimeout(() => {
      setClimbs((last) => new Map([...last].filter(([id]) => !found.some(([done]) => done === id))));
    }, ARROW_MS);
  }, [places]);
  return climbs;
}
