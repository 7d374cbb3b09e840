import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Requests in a file, each after a line with its length in bytes, as both generators read them. */
export interface Traffic {
  file: string;
  requests: number;
  /** True if they can be sent any number of times: reads can, submissions use up their nonces. */
  again: boolean;
}

const CHUNK = 4_000;

export function writeTraffic(file: string, again: boolean, requests: Iterable<string>): Traffic {
  const fd = openSync(file, 'w', 0o600);
  let written = 0;
  let chunk: string[] = [];
  const flush = () => {
    writeSync(fd, chunk.join(''));
    chunk = [];
  };
  try {
    for (const request of requests) {
      chunk.push(`${Buffer.byteLength(request)}\n${request}`);
      written += 1;
      if (chunk.length === CHUNK) flush();
    }
    flush();
  } finally {
    closeSync(fd);
  }
  return { file, requests: written, again };
}

export function readTraffic({ file }: Traffic): string[] {
  const bytes = readFileSync(file);
  const requests: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\n', at);
    const end = line + 1 + Number(bytes.toString('latin1', at, line));
    requests.push(bytes.toString('utf8', line + 1, end));
    at = end;
  }
  return requests;
}
