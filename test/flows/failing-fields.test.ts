import { type GraphQLObjectType, isObjectType } from 'graphql';
import { DomainError } from '../../src/base/errors.js';
import { CLIENT, type Issuer, openIssuer } from '../fixtures/issuer.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { addPasskey } from '../support/authenticator.js';
import type { Caller } from '../support/http.js';
import { codeFor } from '../support/mail.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession, unique } from '../support/make.js';

// What one field's error costs: that field alone.

type GraphAnswer = Awaited<ReturnType<Caller['graphql']>>;

let issuer: Issuer;
let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  issuer = await openIssuer(`${SETTINGS.publicUiUrl}/console/signed-in`);
  app = await startApp({
    ...{ oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8', '::1'] },
    ...{ oidcIssuer: issuer.url, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret },
  });
  studio = await makeStudio(app);
  const domains = ['single.example.com'];
  await app.superadmin.post('/v1/identity-providers', {
    ...{ account_id: studio.accountId, kind: 'installation', domains },
  });
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});

/** Runs an operation while a field fails, as it might if the database were away for a moment. */
async function whileFailing(
  type: string,
  name: string,
  run: () => Promise<GraphAnswer>,
): Promise<GraphAnswer> {
  const field = (app.app.schema.getType(type) as GraphQLObjectType).getFields()[name]!;
  const { resolve } = field;
  field.resolve = () => {
    throw new DomainError('UNAVAILABLE', 'Away.');
  };
  try {
    return await run();
  } finally {
    field.resolve = resolve;
  }
}

const codesOf = ({ errors }: GraphAnswer) =>
  errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]);

test('a root field that fails leaves the others their values', async () => {
  await makeGame(studio);
  const answer = await whileFailing('Query', 'users', () =>
    studio.admin.graphql('{ me { kind } users { nodes { id } } games { nodes { id } } }'),
  );
  expect(answer.data).toEqual({ me: { kind: 'ADMIN' }, users: null, games: { nodes: [expect.anything()] } });
  expect(codesOf(answer)).toEqual([['users', 'UNAVAILABLE']]);
});

test('a list that fails leaves what is beside it', async () => {
  const answer = await whileFailing('Account', 'users', () =>
    studio.admin.graphql('query ($id: ID!) { account(id: $id) { id users { nodes { id } } } }', {
      id: studio.accountId,
    }),
  );
  expect(answer.data).toEqual({ account: { id: studio.accountId, users: null } });
  expect(codesOf(answer)).toEqual([['account.users', 'UNAVAILABLE']]);
});

async function verifiedToken(): Promise<string> {
  const email = `player${unique()}@example.com`;
  await app.anyone.post('/register/initiate', { email });
  const { body } = await app.anyone.post('/register/verify', { email, code: await codeFor(app, email) });
  return body.verification_token;
}

test('no field of a stored submission costs another one', async () => {
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, {
    keepStrategy: 'BEST',
    views: [{ name: 'weekly', period: 'WEEK' }],
  });
  const { session } = await startSession(app, game.id);
  const fields = 'kept score { value } scoreEvent { value } ranks { rank }';
  const operation = `mutation ($items: [CreateScoreEventInput!]!, $one: CreateScoreEventInput!) {
      made: createScoreEvent(input: $one) { submission { ${fields} } }
      createScoreEvents(input: { items: $items }) { results { ... on Submission { ${fields} } } } }`;
  const input = { boardId: board.id, identityId: session.identityId, playerName: 'Ann' };
  const items = [8, 9].map((value) => ({ ...input, value }));
  const whole = { kept: true, score: expect.anything(), scoreEvent: expect.anything(), ranks: [{ rank: 1 }] };
  for (const name of ['score', 'scoreEvent', 'ranks']) {
    for (const item of items) item.value += 10;
    const variables = { one: { ...input, value: items[0]!.value - 1 }, items };
    const answer = await whileFailing('Submission', name, () => studio.admin.graphql(operation, variables));
    const stored = { ...whole, [name]: null };
    expect(answer.data.made.submission).toEqual(stored);
    expect(answer.data.createScoreEvents.results).toEqual([stored, stored]);
    expect(codesOf(answer)!.map(([, code]) => code)).toEqual(Array(3).fill('UNAVAILABLE'));
  }
});

/** Writes whose secret is returned once, each with all that is beside it. */
const SECRETS: Record<string, () => Promise<GraphAnswer>> = {
  CreateApiKeyPayload: () =>
    studio.admin.graphql(
      'mutation ($input: CreateApiKeyInput!) { made: createApiKey(input: $input) { key apiKey { id } } }',
      { input: { accountId: studio.accountId, userId: studio.userId, name: `Made ${unique()}` } },
    ),
  SignInPayload: async () => {
    const email = `player${unique()}@example.com`;
    const { createUser } = await app.superadmin.data(
      'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }',
      { input: { accountId: studio.accountId, email, displayName: 'Ann' } },
    );
    expect(createUser.user.id).toMatch(/^usr_/);
    await app.anyone.post('/register/sign-in/code', { email });
    return app.anyone.graphql(
      'mutation ($input: SignInInput!) { made: signIn(input: $input) { key apiKey { id } expiresAt } }',
      { input: { email, code: await codeFor(app, email) } },
    );
  },
  SignInWithPasskeyPayload: async () => {
    const { passkey } = await addPasskey(studio.admin);
    const { passkeySignInOptions: options } = await app.anyone.data('{ passkeySignInOptions }');
    const input = { accountId: studio.accountId, response: passkey.get(JSON.parse(options)) };
    return app.anyone.graphql(
      `mutation ($input: SignInWithPasskeyInput!) {
        made: signInWithPasskey(input: $input) { key apiKey { id } expiresAt } }`,
      { input },
    );
  },
  SignInWithProviderPayload: async () => {
    issuer.people.set('ann', { email: 'ann@single.example.com', email_verified: true });
    issuer.next = 'ann';
    const browserToken = 'a'.repeat(30);
    const { startProviderSignIn } = await app.anyone.data(
      'mutation ($input: StartProviderSignInInput!) { startProviderSignIn(input: $input) { url } }',
      { input: { browserToken } },
    );
    const response = await issuer.visit(startProviderSignIn.url);
    const { redeemProviderCode } = await app.anyone.data(
      'mutation ($input: RedeemProviderCodeInput!) { redeemProviderCode(input: $input) { ticket } }',
      { input: { browserToken, response } },
    );
    return app.anyone.graphql(
      `mutation ($input: SignInWithProviderInput!) {
        made: signInWithProvider(input: $input) { key apiKey { id } expiresAt } }`,
      { input: { ticket: redeemProviderCode.ticket } },
    );
  },
  CompleteRegistrationPayload: async () =>
    app.anyone.graphql(
      `mutation ($input: CompleteRegistrationInput!) {
        made: completeRegistration(input: $input) { key account { id } user { id } } }`,
      { input: { verificationToken: await verifiedToken(), accountName: `Made ${unique()}` } },
    ),
};

test('no field beside a secret costs it', async () => {
  const payloads = Object.values(app.app.schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      isObjectType(type) && /Payload$/.test(type.name) && !!type.getFields().key,
  );
  expect(payloads.map(({ name }) => name).toSorted()).toEqual(Object.keys(SECRETS).toSorted());
  for (const type of payloads) {
    const beside = Object.keys(type.getFields()).filter(
      (name) => !['key', 'apiKeyId', 'expiresAt'].includes(name),
    );
    expect(beside).not.toEqual([]);
    for (const name of beside) {
      const answer = await whileFailing(type.name, name, SECRETS[type.name]!);
      expect(answer.data.made).toMatchObject({ key: expect.stringMatching(/^svc_/), [name]: null });
      expect(codesOf(answer)).toEqual([[`made.${name}`, 'UNAVAILABLE']]);
      const holder = app.anyone.with({ 'service-api-key': answer.data.made.key });
      expect(await holder.data('{ me { kind } }')).toEqual({ me: { kind: 'ADMIN' } });
    }
  }
});
