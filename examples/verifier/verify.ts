import { playAgain } from '../arcade/inputs.js';

/** Builds whose simulation this is: another one may give another score for the same inputs. */
const VERSIONS = new Set(['1']);

/** A score event of the service, as far as a verifier needs it. */
export interface VerifiedRun {
  id: string;
  event_payload: { value?: number };
  run: { seed: number | null; game_version: string | null } | null;
  recording: { url: string } | null;
}

interface Said {
  verdict: 'verified' | 'rejected' | 'unknown';
  reason?: string;
}

/** Plays a run of the demo's game again, and says whether its inputs give its score. */
export function verify({ event_payload: { value }, run }: VerifiedRun, file: Uint8Array): Said {
  if (run?.seed == null) return { verdict: 'unknown', reason: 'It has no seed.' };
  if (run.game_version === null || !VERSIONS.has(run.game_version))
    return { verdict: 'unknown', reason: `It is of the build ${run.game_version ?? 'without a version'}.` };
  const world = playAgain(run.seed, file);
  if (!world) return { verdict: 'rejected', reason: 'Its recording is no file of this game.' };
  if (world.score === value) return { verdict: 'verified' };
  return { verdict: 'rejected', reason: `Its inputs give ${world.score}.` };
}
