import { When } from '../../parts/time.js';
import { VERDICT_TEXTS as text } from './texts.js';

interface VerdictListProps {
  verdicts: {
    verdict: 'VERIFIED' | 'REJECTED' | 'UNKNOWN';
    reason?: string | null;
    verifier: string;
    verifierVersion?: string | null;
    passId?: string | null;
    createdAt: string;
    undoneAt?: string | null;
  }[];
}

/** What verifiers have said of a run. */
export function VerdictList({ verdicts }: VerdictListProps) {
  if (verdicts.length === 0) return null;
  return (
    <ul className="hint">
      {verdicts.map(({ verdict, reason, verifier, verifierVersion, passId, createdAt, undoneAt }) => (
        <li key={`${verifier} ${passId ?? ''}`}>
          {text.said[verdict]} <bdi>{verifierVersion ? `${verifier} ${verifierVersion}` : verifier}</bdi>
          {passId && ` ${text.inPass}`} <When at={createdAt} />
          {undoneAt && ` ${text.undone}`}
          {reason && (
            <>
              : <bdi>{reason}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
