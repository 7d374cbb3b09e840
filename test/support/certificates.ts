import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate that a test made, with its key. */
export interface Made {
  der: Buffer;
  pem: string;
  name: Buffer;
  key: KeyObject;
}

interface Wanted {
  organization: string;
  /** Who signs it; absent: itself. */
  by?: Made;
  ca?: boolean;
  /** UTC, `YYMMDDhhmmssZ`. */
  from?: string;
  until?: string;
  /** Where it says that its issuer's certificate is. */
  issuerUrl?: string;
  /** The key of this one instead of a new one. */
  keyOf?: Made;
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const oid = (...bytes: number[]) => tagged(0x06, Buffer.from(bytes));
const text = (tag: number, value: string) => tagged(tag, Buffer.from(value));

const RSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b), tagged(0x05));
const named = (last: number, value: string) =>
  tagged(0x31, sequence(oid(0x55, 0x04, last), text(0x0c, value)));
let serial = 1;

/** Makes a certificate of X.509 (RFC 5280) with an RSA key. */
export function makeCertificate(wanted: Wanted): Made {
  const { organization, by, ca = false, issuerUrl, keyOf } = wanted;
  const { from = '200101000000Z', until = '400101000000Z' } = wanted;
  const key = keyOf?.key ?? generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const name = sequence(named(10, organization), named(3, `${organization} ${ca ? 'CA' : ''}`.trim()));
  const constraints = sequence(...(ca ? [tagged(0x01, Buffer.from([0xff]))] : []));
  const access = [
    sequence(
      oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01),
      tagged(
        0x04,
        sequence(sequence(oid(0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02), text(0x86, issuerUrl ?? ''))),
      ),
    ),
  ];
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([serial])),
    RSA_SHA256,
    by?.name ?? name,
    sequence(text(0x17, from), text(0x17, until)),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        sequence(oid(0x55, 0x1d, 0x13), tagged(0x04, constraints)),
        ...(issuerUrl === undefined ? [] : access),
      ),
    ),
  );
  serial += 1;
  const signature = sign('sha256', body, by?.key ?? key);
  const der = sequence(body, RSA_SHA256, tagged(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
  return { der, name, key, pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}
