import type { ReactNode } from 'react';
import { Facts } from '../../parts/card.js';
import { count, gap, split } from '../../parts/format.js';
import { When } from '../../parts/time.js';

const text = {
  title: 'Run with a ticket',
  started: 'Started',
  ahead: 'ticket fetched ahead',
  elapsed: 'Until it was submitted',
  idle: 'Idle, as the game says',
  length: 'Length, as the game says',
  splits: 'Splits',
  attempt: 'Attempt',
  version: 'Game version',
  seed: 'Seed',
};

interface RunFactsProps {
  run: {
    startedAt: string;
    elapsedMs: number;
    idleMs: number;
    runMs?: number | null;
    splits?: number[] | null;
    advance: boolean;
    attempt?: number | null;
    seed?: number | null;
    gameVersion?: string | null;
  };
}

/** What is known of a run that began with a ticket. */
export function RunFacts({ run }: RunFactsProps) {
  const { startedAt, elapsedMs, idleMs, runMs, splits, advance, attempt, seed, gameVersion } = run;
  const facts: [string, ReactNode, ReactNode?][] = [
    [text.started, <When key="at" at={startedAt} />, advance && text.ahead],
    [text.elapsed, gap(elapsedMs)],
    [text.idle, gap(idleMs)],
    [text.length, runMs == null ? null : gap(runMs)],
    [text.splits, splits?.map(split).join(' · ')],
    [text.attempt, attempt == null ? null : count(attempt)],
    [text.version, gameVersion],
    [text.seed, seed == null ? null : String(seed)],
  ];
  return (
    <details>
      <summary>{text.title}</summary>
      <Facts facts={facts.filter(([, value]) => value !== null && value !== undefined)} />
    </details>
  );
}
