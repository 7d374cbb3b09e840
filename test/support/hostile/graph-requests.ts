import type { GraphQLSchema } from 'graphql';
import type { WireRequest } from '../wire.js';
import type { Dice } from './dice.js';
import { GraphDocuments, type HostileOperation } from './graph-documents.js';
import type { Ground } from './ground.js';
import { brokenJson, oddJson } from './values.js';

/** Operations as requests of HTTP, as frames of a socket, and whose they are. */
export class GraphRequests {
  readonly #documents: GraphDocuments;

  constructor(
    schema: GraphQLSchema,
    private readonly ground: Ground,
  ) {
    this.#documents = new GraphDocuments(schema, ground);
  }

  http(dice: Dice): WireRequest {
    const text = this.#payload(dice);
    return {
      method: dice.chance(0.99) ? 'POST' : dice.pick(['PUT', 'PATCH']),
      path: dice.chance(0.98)
        ? '/graphql'
        : dice.pick(['/graphql/', '/graphql?query={me{kind}}', '/graphql?x=%00']),
      headers: {
        'content-type': dice.chance(0.98)
          ? 'application/json'
          : dice.pick(['text/plain', 'application/graphql', 'application/json; charset=utf-16']),
        ...this.headers(dice),
      },
      body: dice.chance(0.04) ? brokenJson(dice, text) : text,
    };
  }

  /** A frame of graphql-transport-ws with this id. */
  frame(dice: Dice, id: string): string {
    if (dice.chance(0.06)) return this.#brokenFrame(dice, id);
    return `{"id":"${id}","type":"subscribe","payload":${this.#payload(dice)}}`;
  }

  headers(dice: Dice): Record<string, string> {
    const { callers, bad } = this.ground;
    return dice.either([
      [8, () => callers.apiKey.headers],
      [4, () => callers.accessToken.headers],
      [3, () => callers.root.headers],
      [1, () => ({})],
      [1, () => dice.pick(bad)],
    ]);
  }

  /** The first frame of a socket, as JSON text. */
  greeting(dice: Dice): string {
    const payload = dice.chance(0.9)
      ? JSON.stringify(this.headers(dice))
      : oddJson(dice, this.ground.everyId);
    return `{"type":"connection_init","payload":${payload}}`;
  }

  #payload(dice: Dice): string {
    const { query, variables } = this.#documents.make(dice);
    const members = [`"query":${JSON.stringify(query)}`];
    if (variables !== '{}' || dice.chance(0.2))
      members.push(`"variables":${this.#variables(dice, variables)}`);
    if (dice.chance(0.05))
      members.push(
        `"operationName":${dice.pick(['"Hostile"', '"Nothing"', 'null', '1', '""', '{}', '"\\u0000"'])}`,
      );
    if (dice.chance(0.03)) members.push(`"extensions":${oddJson(dice, this.ground.everyId)}`);
    if (dice.chance(0.02)) members.push(`"query":${oddJson(dice, this.ground.everyId)}`);
    const text = `{${members.join(',')}}`;
    return dice.chance(0.02) ? `[${text},${text}]` : text;
  }

  #variables(dice: Dice, variables: HostileOperation['variables']): string {
    return dice.chance(0.03) ? oddJson(dice, this.ground.everyId) : variables;
  }

  #brokenFrame(dice: Dice, id: string): string {
    return dice.pick([
      ...[
        '',
        '{',
        'null',
        '1',
        '[]',
        '{}',
        '"x"',
        '\u0000',
        '{"type":"nothing"}',
        '{"type":"subscribe"}',
        '{"type":"connection_init"}',
      ],
      ...[
        `{"id":"${id}","type":"subscribe"}`,
        `{"id":"${id}","type":"subscribe","payload":null}`,
        `{"id":1,"type":"subscribe","payload":{"query":"{me{kind}}"}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":1}}`,
        `{"id":"","type":"subscribe","payload":{"query":"{me{kind}}"}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":"{me{kind}}","variables":[]}}`,
        `{"id":"${id}","type":"next","payload":{}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":"{me{kind}}","variables":1,"operationName":2}}`,
        `{"type":"ping","payload":{"a":1}}`,
      ],
      `{"id":"${'x'.repeat(70_000)}","type":"subscribe","payload":{"query":"{me{kind}}"}}`,
    ]);
  }
}
