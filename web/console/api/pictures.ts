import { useState } from 'react';
import { t } from '../texts.js';
import { watched } from './connection.js';
import type { Fault } from './fault.js';
import { HEADER_PREFIX, SERVICE_PATH } from './place.js';
import { scaledPicture } from './scaled-picture.js';
import { apiKey, noteRefusal } from './session.js';

export type PictureKind = 'logo' | 'cover';

/** The largest file that the service takes. */
export const LARGEST_PICTURE_BYTES = 512 * 1024;

/** The address of a picture at this host: the public one may be another. */
export function pictureHere(url: string): string {
  return SERVICE_PATH + url.slice(url.lastIndexOf('/pictures/'));
}

interface Refusal {
  error: string;
  code: string;
  request_id?: string;
  details?: { msg: string }[];
}

const plain = (code: string, message: string): Fault => ({
  code,
  message,
  requestId: undefined,
  fields: {},
  retryAfter: undefined,
});

export const offline = () => plain('OFFLINE', t.faults.offline);

/** The refusal of a request to REST. */
export async function faultOfAnswer(answer: Response): Promise<Fault> {
  const { error, code, request_id: requestId, details } = (await answer.json()) as Refusal;
  noteRefusal(code, error);
  const message = details?.[0] ? t.gameForm.unsound(details[0].msg) : error;
  const retryAfter = Number(answer.headers.get('retry-after')) || undefined;
  return { ...plain(code, message), requestId, retryAfter };
}

/** The one thing that GraphQL cannot carry: files go by REST. */
async function send(gameId: string, kind: PictureKind, chosen: File | null): Promise<Fault | undefined> {
  const file = chosen && (await scaledPicture(kind, chosen));
  if (file === undefined) return plain('VALIDATION_FAILED', t.gameForm.unreadable);
  const headers: Record<string, string> = { [`${HEADER_PREFIX}-api-key`]: apiKey.get() ?? '' };
  if (file) headers['content-type'] = file.type;
  try {
    const answer = await watched(fetch)(`${SERVICE_PATH}/v1/games/${gameId}/${kind}`, {
      method: file ? 'PUT' : 'DELETE',
      headers,
      body: file,
    });
    return answer.ok ? undefined : await faultOfAnswer(answer);
  } catch {
    return offline();
  }
}

/** Uploads and removals of a game's pictures. */
export function usePicture(gameId: string, kind: PictureKind) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const run = async (file: File | null): Promise<boolean> => {
    setBusy(true);
    const fault = await send(gameId, kind, file);
    setBusy(false);
    setFault(fault);
    return fault === undefined;
  };
  return { busy, fault, run };
}
