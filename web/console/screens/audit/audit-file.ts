import { useState } from 'react';
import { watched } from '../../api/connection.js';
import type { Fault } from '../../api/fault.js';
import { faultOfAnswer, offline } from '../../api/pictures.js';
import { HEADER_PREFIX, SERVICE_PATH } from '../../api/place.js';
import { apiKey } from '../../api/session.js';
import type { AuditAction } from '../../generated/graphql.js';

interface Chosen {
  action: AuditAction | null;
  gameId: string | null;
  userId: string | null;
  subjectId: string | null;
  createdAt: { after: string | null; before: string | null };
}

/** For Excel and similar programs: what people chose as names is no formula there. */
const FORMAT = 'spreadsheet';

function addressOf(accountId: string, { action, gameId, userId, subjectId, createdAt }: Chosen): string {
  const query = {
    ...{ account_id: accountId, format: FORMAT, game_id: gameId, user_id: userId, subject_id: subjectId },
    ...{ action: action?.toLowerCase() },
    ...{ created_after: createdAt.after, created_before: createdAt.before },
  };
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] != null);
  return `${SERVICE_PATH}/v1/audit-entries/export?${new URLSearchParams(given)}`;
}

/** Saves the entries that are chosen as a file. */
export function useAuditFile() {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const run = async (accountId: string, chosen: Chosen): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const headers = { [`${HEADER_PREFIX}-api-key`]: apiKey.get() ?? '' };
      const answer = await watched(fetch)(addressOf(accountId, chosen), { headers });
      if (answer.ok) save(await answer.blob());
      else setFault(await faultOfAnswer(answer));
    } catch {
      setFault(offline());
    }
    setBusy(false);
  };
  return { busy, fault, run };
}

function save(file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = 'audit.csv';
  link.click();
  URL.revokeObjectURL(link.href);
}
