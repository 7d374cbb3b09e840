import { Html, html, prose } from '../../base/html.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { clientSamplesOf } from './client-samples.js';
import { type ApiDocument, exampleValue, type OperationSpec, plainSchema, resolved } from './document.js';
import type { Sample } from './sample.js';
import { type PlacedOperation, samplesOf } from './samples.js';

const JSON_TYPE = 'application/json';

function section(
  title: string,
  document: ApiDocument,
  members: DocumentedMember[],
  marks = true,
): Html | undefined {
  if (members.length === 0) return undefined;
  return html`<h4>${title}</h4>${memberList(document, members, marks)}`;
}

/** Renders the response's members, or its type if it has none. */
function answerSection(
  document: ApiDocument,
  title: string,
  type: string | undefined,
  schema: JsonSchema,
): Html | undefined {
  const members = membersOf(document, schema);
  if (members.length > 0) return section(title, document, members, false);
  return html`<h4>${title}</h4><p class="type">${type}</p>`;
}

function parametersOf({ parameters = [] }: OperationSpec, where: string): DocumentedMember[] {
  return parameters
    .filter((parameter) => parameter.in === where)
    .map(({ name, schema, description, required = false }) => ({ name, schema, description, required }));
}

function errorLinks(document: ApiDocument, { responses }: OperationSpec): Html {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const links = errors.map(
    ([status, response]) =>
      html`<a href="#errors-${status}" title="${resolved(document, response).description}">${status}</a> `,
  );
  return html`<p class="errors">Errors ${links}</p>`;
}

function sample(title: string, text: string): Html {
  return html`<figure><figcaption>${title}</figcaption><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${text}</code></pre></figure>`;
}

/** Renders one request in all languages; a script shows the chosen one, and curl without it. */
function requestSample(samples: Sample[]): Html {
  const options = samples.map(({ language }) => html`<option>${language}</option>`);
  const texts = samples.map(({ language, text }) => {
    return html`<pre tabindex="0" data-language="${language}"${language !== 'curl' && new Html(' hidden')}><code>${text}</code></pre>`;
  });
  return html`<figure class="request"><figcaption>Request <select class="language" aria-label="Language" hidden>${options}</select></figcaption><button type="button" class="copy" hidden>Copy</button>${texts}</figure>`;
}

/** Renders one operation: description, inputs, responses, and an example of each. */
export function operationView(document: ApiDocument, operation: PlacedOperation): Html {
  const { method, path, spec } = operation;
  const [status, answer] = Object.entries(spec.responses)[0]!;
  const [type, content] = Object.entries(answer.content ?? {})[0] ?? [];
  const body = spec.requestBody?.content[JSON_TYPE]?.schema;
  return html`<section class="operation" id="${spec.operationId}">
<div class="description">
<h3><a href="#${spec.operationId}">${spec.summary}</a></h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p>${prose(spec.description)}</p>
${section('Path', document, parametersOf(spec, 'path'))}
${section('Query', document, parametersOf(spec, 'query'))}
${section('Headers', document, parametersOf(spec, 'header'))}
${body && section('Body', document, membersOf(document, body))}
${content && answerSection(document, `Answer ${status}`, type, content.schema)}
${errorLinks(document, spec)}
</div>
<div class="samples">
${requestSample([...samplesOf(document, operation), ...clientSamplesOf(spec.operationId)])}
<div class="run" data-operation="${spec.operationId}"></div>
${type === JSON_TYPE && content && sample(`Answer ${status}`, JSON.stringify(exampleValue(document, content.schema), null, 2))}
</div>
</section>
`;
}

/** A member of a request or response. */
interface DocumentedMember {
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
function membersOf(document: ApiDocument, schema: JsonSchema): DocumentedMember[] {
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
function memberList(document: ApiDocument, members: DocumentedMember[], marks: boolean): Html {
  const items = members.map(({ name, schema, description, required }) => {
    const plain = plainSchema(document, schema);
    const values = ((plain.enum ?? []) as unknown[]).filter((value) => value !== null);
    // Sentences say most limits and defaults already, and count characters as people do; a schema's lengths count code points.
    const said = String(description ?? '');
    const range = /\bcharacters\b|\d to \d/.test(said) ? undefined : bounds(plain);
    const facts = [
      values.length > 0 &&
        html`<span class="values">One of ${values.map((value) => html`${code(value)} `)}</span>`,
      range && html`<span>${range}</span>`,
      plain.default !== undefined &&
        !said.includes('Default: ') &&
        html`<span>Default ${code(plain.default)}</span>`,
    ].filter((fact) => fact instanceof Object);
    return html`<li><div class="member"><code class="name">${name}</code> <span class="type">${typeText(document, schema)}</span>${
      marks && required && html` <span class="required">required</span>`
    }</div>${description ? html`<p>${prose(description)}</p>` : ''}${
      facts.length > 0 && html`<p class="facts">${facts}</p>`
    }${below(document, schema, marks)}</li>`;
  });
  return html`<ul class="members">${items}</ul>`;
}
