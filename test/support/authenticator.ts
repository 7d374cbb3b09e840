import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Caller, Data } from './http.js';

const ORIGIN = 'https://play.example.com';
const RP = 'play.example.com';

/** What `navigator.credentials` does with a security key in software: ES256, no attestation. */
export class Authenticator {
  readonly id = randomBytes(16);
  readonly #private: KeyObject;
  readonly #cose: Buffer;
  counter = 0;
  handle = '';

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#private = privateKey;
    const { x, y } = publicKey.export({ format: 'jwk' });
    const coordinate = (label: number, value: string) =>
      Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]);
    this.#cose = Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01]),
      coordinate(0x21, x!),
      coordinate(0x22, y!),
    ]);
  }

  #data(flags: number, rest = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(RP).digest(), Buffer.from([flags]), counter, rest]);
  }

  create(options: Data, { origin = ORIGIN, verified = true } = {}): string {
    this.handle = options.user.id;
    const length = Buffer.from([0, this.id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.id, this.#cose]);
    const data = this.#data(verified ? 0x45 : 0x41, credential);
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a06861757468446174615900', 'hex').subarray(0, -1),
      Buffer.from([data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.#response({
      clientDataJSON: clientData('webauthn.create', options.challenge, origin),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal', 'hybrid', '<script>'],
    });
  }

  get(options: Data, { origin = ORIGIN, verified = true, handle = this.handle } = {}): string {
    this.counter += 1;
    const data = this.#data(verified ? 0x05 : 0x01);
    const clientDataJSON = clientData('webauthn.get', options.challenge, origin);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([data, hash]), this.#private);
    return this.#response({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: handle,
    });
  }

  #response(response: Data): string {
    const id = this.id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

function clientData(type: string, challenge: string, origin: string): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
}

export const ADD = `mutation ($input: AddPasskeyInput!) {
  addPasskey(input: $input) { passkey { id name isSynced lastUsedAt } } }`;

export const newOptions = async (caller: Caller): Promise<Data> =>
  JSON.parse((await caller.data('{ newPasskeyOptions }')).newPasskeyOptions);

/** Adds a passkey to the caller. */
export async function addPasskey(caller: Caller, name = 'Laptop') {
  const passkey = new Authenticator();
  const response = passkey.create(await newOptions(caller));
  const { addPasskey } = await caller.data(ADD, { input: { name, response } });
  return { passkey, record: addPasskey.passkey as Data };
}
