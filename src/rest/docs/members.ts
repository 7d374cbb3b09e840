import { type Html, html, prose } from '../../base/html.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { type ApiDocument, plainSchema } from './document.js';

/** A member of a request or response. */
export interface Member {
  name: string;
  schema: JsonSchema;
  description?: unknown;
  required: boolean;
}

/** Returns the type in words: `string`, `array of string`, `number or null`. */
function typeText(document: ApiDocument, schema: JsonSchema): string {
  const nullable =
    [schema.type].flat().includes('null') ||
    Boolean((schema.anyOf as JsonSchema[] | undefined)?.some(({ type }) => type === 'null'));
  const plain = plainSchema(document, schema);
  const type = [plain.type].flat().find((word) => word !== 'null');
  let text = plain.format === 'date-time' ? 'date-time' : String(type ?? 'value');
  if (type === 'array') text = `array of ${typeText(document, plain.items as JsonSchema)}`;
  return nullable ? `${text} or null` : text;
}

function bounds({ minimum, maximum, minLength, maxLength }: JsonSchema): string | undefined {
  const [from, to] = [minimum ?? minLength, maximum ?? maxLength];
  if (from === undefined && to === undefined) return undefined;
  return `${from ?? ''}–${to ?? ''}${maxLength === undefined ? '' : ' characters'}`;
}

function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function below(document: ApiDocument, schema: JsonSchema, marks: boolean): Html | undefined {
  const plain = plainSchema(document, schema);
  if (plain.type === 'array') return below(document, plain.items as JsonSchema, marks);
  const members = membersOf(document, plain);
  if (members.length === 0) return undefined;
  return html`<details><summary>${members.length} members</summary>${memberList(document, members, marks)}</details>`;
}

/** Returns the members of an object. */
export function membersOf(document: ApiDocument, schema: JsonSchema): Member[] {
  const { properties = {}, required = [] } = plainSchema(document, schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => ({
    name,
    schema: member,
    description: plainSchema(document, member).description,
    required: required.includes(name),
  }));
}

/**
 * Renders members with type, meaning, allowed values and nested members.
 * @param marks true to mark required members; in responses all are present
 */
export function memberList(document: ApiDocument, members: Member[], marks: boolean): Html {
  const items = members.map(({ name, schema, description, required }) => {
    const plain = plainSchema(document, schema);
    const values = ((plain.enum ?? []) as unknown[]).filter((value) => value !== null);
    const range = bounds(plain);
    const facts = [
      values.length > 0 &&
        html`<span class="values">One of ${values.map((value) => html`${code(value)} `)}</span>`,
      range && html`<span>${range}</span>`,
      plain.default !== undefined && html`<span>Default ${code(plain.default)}</span>`,
    ].filter((fact) => fact instanceof Object);
    return html`<li><div class="member"><code class="name">${name}</code> <span class="type">${typeText(document, schema)}</span>${
      marks && required && html` <span class="required">required</span>`
    }</div>${description ? html`<p>${prose(description)}</p>` : ''}${
      facts.length > 0 && html`<p class="facts">${facts}</p>`
    }${below(document, schema, marks)}</li>`;
  });
  return html`<ul class="members">${items}</ul>`;
}
