import type { WireRequest } from '../wire.js';

/** Text in quotes of a shell, whatever it holds. */
function quoted(text: string | Buffer): string {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  if (/^[\x20-\x7e]*$/.test(bytes.toString('latin1')))
    return `'${bytes.toString().replaceAll("'", `'\\''`)}'`;
  const escaped = [...bytes].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  );
  return `$'${escaped.join('')}'`;
}

/** A request as a command. Bodies with NUL go through a pipe: no argument of a command can hold one. */
export function curlOf(url: string, { method, path, headers, body }: WireRequest): string {
  const parts = ['curl', '-sS', '-i', '--path-as-is', '-g', '-X', method];
  for (const [name, value] of Object.entries(headers))
    parts.push('-H', quoted(Buffer.from(`${name}: ${value}`, 'latin1')));
  const pipe = body === undefined ? '' : `printf %b ${quoted(escapedForPrintf(body))} | `;
  if (body !== undefined) parts.push('--data-binary', '@-');
  return `${pipe}${[...parts, quoted(`${url}${path}`)].join(' ')}`;
}

function escapedForPrintf(body: string | Buffer): string {
  return [...Buffer.from(body as string)]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && byte !== 0x5c
        ? String.fromCharCode(byte)
        : `\\0${byte.toString(8).padStart(3, '0')}`,
    )
    .join('');
}
