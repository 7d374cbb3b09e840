import { connect } from 'node:net';

/** The answer to bytes sent as they are, until the service closes the connection. */
export async function rawAnswer(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

export interface RawAnswer {
  status: number;
  code: string;
  headers: Headers;
}

/** Reads one answer as text; fails unless its body is the envelope with the request id of its header. */
export function envelopeOf(answer: string): RawAnswer {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) headers.append(line.replace(/:.*/, ''), line.replace(/^.*?: */, ''));
  const { error, code, request_id } = JSON.parse(body) as Record<string, string>;
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  expect(error).toMatch(/^[A-Z].+/);
  expect(request_id).toMatch(/\S/);
  expect(headers.get('service-request-id')).toBe(request_id);
  return { status: Number(first.split(' ')[1]), code: code ?? '', headers };
}
