import { TrustedProxies } from '../../src/server/auth/origin.js';

test("without trusted proxies the caller is the socket's address", () => {
  const none = new TrustedProxies([]);
  expect(none.callerAddress('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  expect(none.callerAddress('::ffff:203.0.113.9', undefined)).toBe('203.0.113.9');
  expect(none.callerAddress(undefined, '198.51.100.1')).toBeUndefined();
});

test('behind trusted proxies the caller is the right-most address that is none of them', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '::1', 'fd00::/8']);
  const from = (forwarded: string | undefined, socket = '10.0.0.1') =>
    proxies.callerAddress(socket, forwarded);
  expect(from('198.51.100.1')).toBe('198.51.100.1');
  expect(from('6.6.6.6, 198.51.100.1, 10.1.2.3')).toBe('198.51.100.1');
  expect(from('2001:db8::5', '::1')).toBe('2001:db8::5');
  expect(from('10.9.9.9')).toBe('10.9.9.9');
  expect(from('198.51.100.1:4711, 10.1.2.3:80')).toBe('198.51.100.1');
  expect(from('[2001:db8::5]:443', '::1')).toBe('2001:db8::5');
  expect(from('[2001:db8::5], [::1]:80')).toBe('2001:db8::5');
  expect(from('[::ffff:198.51.100.1]:80')).toBe('198.51.100.1');
  expect(from('2001:db8::5:80')).toBe('2001:db8::5:80');
  expect(from('198.51.100.1:port')).toBe('10.0.0.1');
  expect(from('nonsense')).toBe('10.0.0.1');
  expect(from('1.2.3.4, nonsense')).toBe('10.0.0.1');
  expect(from(undefined)).toBe('10.0.0.1');
  expect(from('198.51.100.1', '203.0.113.9')).toBe('203.0.113.9');
});
