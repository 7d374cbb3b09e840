import { When } from '../../parts/time.js';
import { RECORDING_TEXTS as text } from './texts.js';

interface RecordingLinkProps {
  recording: { url: string; bytes: number; leavingAt?: string | null };
}

/** A run's recording, to be saved as a file. */
export function RecordingLink({ recording: { url, bytes, leavingAt } }: RecordingLinkProps) {
  return (
    <p className="hint">
      <a href={url} download>
        {text.download(bytes)}
      </a>
      {leavingAt && (
        <>
          {' '}
          {text.leaving} <When at={leavingAt} />
        </>
      )}
    </p>
  );
}
