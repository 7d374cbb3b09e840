import type { GameEnvironment } from '../generated/graphql.js';
import { t } from '../texts.js';
import { Chip, type Tone } from './card.js';

const TONES: Record<GameEnvironment, Tone | undefined> = {
  PRODUCTION: undefined,
  STAGING: 'warn',
  DEVELOPMENT: 'good',
};

/** The label of a game that is not played for real. */
export function Environment({ of }: { of: GameEnvironment }) {
  const tone = TONES[of];
  return tone && <Chip tone={tone}>{t.games.environments[of]}</Chip>;
}
