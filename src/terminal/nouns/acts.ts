import type { Act } from './noun.js';

export const SUSPEND: Act[] = [
  { name: 'suspend', about: 'keep it from working', body: { status: 'suspended' }, done: 'Suspended' },
  { name: 'activate', about: 'let it work again', body: { status: 'active' }, done: 'Activated' },
];

export const REVOKE: Act = {
  name: 'revoke',
  about: 'end it for ever',
  body: { status: 'revoked' },
  done: 'Revoked',
};
