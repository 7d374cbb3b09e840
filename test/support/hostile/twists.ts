import type { WireRequest } from '../wire.js';
import type { Dice } from './dice.js';

/** Something is wrong with the request as such. */
export function twisted(dice: Dice, request: WireRequest): WireRequest {
  const { headers, path } = request;
  const withHeader = (name: string, value: string) => ({
    ...request,
    headers: { ...headers, [name]: value },
  });
  return dice.either<WireRequest>([
    [
      3,
      () => ({
        ...request,
        method: dice.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'POST', 'PURGE', 'TRACE']),
      }),
    ],
    [
      3,
      () =>
        withHeader(
          'content-type',
          dice.pick([
            'text/plain',
            '',
            'application/json; charset=utf-16',
            'application/xml',
            'application/vnd.x+json',
            'multipart/form-data; boundary=x',
            'application/json;;',
            '/',
            '\u00e9',
          ]),
        ),
    ],
    [1, () => withHeader('content-encoding', dice.pick(['gzip', 'br', 'deflate', 'x', 'identity']))],
    [1, () => withHeader('accept', dice.pick(['text/html', '*/*;q=0', 'x']))],
    [1, () => withHeader('x-forwarded-for', dice.pick(['1.2.3.4, x', '::', `${'1.1.1.1,'.repeat(300)}`]))],
    [1, () => withHeader('user-agent', `${'u'.repeat(700)}\u00e9`)],
    [1, () => withHeader('expect', '100-continue')],
    [
      2,
      () => ({
        ...request,
        path: dice.pick([
          `${path}/`,
          `/${path}`,
          `${path}//`,
          path.replace('/v1', '/V1'),
          `${path}/x`,
          `${path}#x`,
          `/v1/..${path}`,
          path.replace('/', '/%2f'),
          `${path};a=b`,
          '*',
          '/%00',
        ]),
      }),
    ],
  ]);
}
