import { connect } from 'node:net';
import { within } from './wait.js';

/** The response to raw bytes, until the service closes the connection. */
export async function rawAnswer(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

/**
 * The response to a request whose body never arrives, which shows that none of it was read.
 * @param head method and path, then header lines; without a length: 1,000 bytes of JSON
 */
export async function answerToHead(url: string, head: string, lines: string[] = []): Promise<RawAnswer> {
  const given = lines.join('\r\n').toLowerCase();
  const sent = [
    `${head} HTTP/1.1`,
    'host: x',
    'connection: close',
    ...(given.includes('content-type:') ? [] : ['content-type: application/json']),
    ...(given.includes('content-length:') || given.includes('transfer-encoding:')
      ? []
      : ['content-length: 1000']),
    ...lines,
  ];
  return envelopeOf(await within(rawAnswer(url, `${sent.join('\r\n')}\r\n\r\n`), `an answer to ${head}`));
}

interface RawAnswer {
  status: number;
  code: string;
  headers: Headers;
}

interface Refusal {
  message: string;
  code: string;
  requestId: string;
}

/** Returns what the envelope of either interface says. */
function refusalOf(body: string): Refusal {
  const { errors, error, code, request_id } = JSON.parse(body);
  return errors
    ? { message: errors[0].message, ...errors[0].extensions }
    : { message: error, code, requestId: request_id };
}

/** Parses one response; fails unless its body is the envelope with the request id from its header. */
export function envelopeOf(answer: string): RawAnswer {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) headers.append(line.replace(/:.*/, ''), line.replace(/^.*?: */, ''));
  const { message, code, requestId } = refusalOf(body);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  expect(message).toMatch(/^[A-Z].+/);
  expect(requestId).toMatch(/\S/);
  expect(headers.get('service-request-id')).toBe(requestId);
  return { status: Number(first.split(' ')[1]), code, headers };
}
