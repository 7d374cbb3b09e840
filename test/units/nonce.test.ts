import { createHmac } from 'node:crypto';
import { uuid7 } from '../../src/base/ids.js';
import { Nonces } from '../../src/players/sessions/nonce.js';

const nonces = new Nonces({ keySecret: 'a secret', nonceSeconds: 60 });
const device = `dev_${uuid7()}`;
const game = `gam_${uuid7()}`;
const now = Date.parse('2030-01-01T00:00:00Z');

test('a nonce is valid for its device and game, until it expires', () => {
  const { nonceValue, expiresAt } = nonces.issue(device, game, now);
  expect(expiresAt).toEqual(new Date(now + 60_000));
  const digits = Buffer.from(nonceValue, 'base64url').toString('hex', 0, 16);
  expect(nonces.read(nonceValue, device, game, now + 59_999)).toEqual({
    uuid: digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    expiresAt,
  });
  expect(nonces.read(nonceValue, device, game, now + 60_000)).toEqual({ fault: 'NONCE_EXPIRED' });
  expect(nonces.read(nonceValue, `dev_${uuid7()}`, game, now)).toEqual({ fault: 'NONCE_INVALID' });
  expect(nonces.read(nonceValue, device, `gam_${uuid7()}`, now)).toEqual({ fault: 'NONCE_INVALID' });
  const other = new Nonces({ keySecret: 'another secret', nonceSeconds: 60 });
  expect(other.read(nonceValue, device, game, now)).toEqual({ fault: 'NONCE_INVALID' });
});

test('a nonce ends with the first half of an HMAC-SHA256 of the rest, the device and the game', () => {
  for (let i = 0; i < 20; i += 1) {
    const [someDevice, someGame] = [`dev_${uuid7()}`, `gam_${uuid7()}`];
    const bytes = Buffer.from(nonces.issue(someDevice, someGame, now).nonceValue, 'base64url');
    const key = createHmac('sha256', 'a secret').update('nonce').digest();
    const mac = createHmac('sha256', key).update(bytes.subarray(0, 22));
    mac.update(someDevice.slice(4)).update(someGame.slice(4));
    expect(bytes.subarray(22)).toEqual(mac.digest().subarray(0, 16));
  }
});

test('no other text is a nonce', () => {
  const { nonceValue } = nonces.issue(device, game, now);
  expect(nonces.read(undefined, device, game, now)).toEqual({ fault: 'NONCE_REQUIRED' });
  expect(nonces.read('', device, game, now)).toEqual({ fault: 'NONCE_REQUIRED' });
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let index = 0; index < nonceValue.length; index += 1) {
    // The neighbour in the alphabet differs in the lowest bit: in the last character that bit carries nothing.
    const other = alphabet[alphabet.indexOf(nonceValue[index]!) ^ 1]!;
    const text = nonceValue.slice(0, index) + other + nonceValue.slice(index + 1);
    expect(nonces.read(text, device, game, now)).toEqual({ fault: 'NONCE_INVALID' });
  }
  for (const text of [`${nonceValue}=`, `${nonceValue}A`, nonceValue.slice(1), 'nonce', '€'.repeat(51)]) {
    expect(nonces.read(text, device, game, now)).toEqual({ fault: 'NONCE_INVALID' });
  }
});

test('nonces are all different', () => {
  const values = Array.from({ length: 1_000 }, () => nonces.issue(device, game, now).nonceValue);
  expect(new Set(values).size).toBe(values.length);
});
