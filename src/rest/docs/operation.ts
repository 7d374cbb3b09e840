import { Html, html, prose } from '../../base/html.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { clientSamplesOf } from './client-samples.js';
import { type ApiDocument, exampleValue, type OperationSpec, plainSchema, resolved } from './document.js';
import { rangeOf } from './range.js';
import { type Sample, sampleView } from './sample.js';
import { type PlacedOperation, samplesOf } from './samples.js';
import { titleOf } from './title.js';

const JSON_TYPE = 'application/json';

function section(title: string, view: View, members: DocumentedMember[]): Html | undefined {
  if (members.length === 0) return undefined;
  return html`<h3>${title}</h3>${memberList(view, members)}`;
}

/** The records whose members the page has shown, by the name of their schema, each with the operation that shows them. */
export type ShownRecords = Map<string, OperationSpec>;

/** Smaller ones are shown again, rather than linked. */
const FEW_MEMBERS = 3;

/** Renders the members of a response, or a link to where the page has them; if there are none, its type. */
function answerSection(view: View, title: string, type: string | undefined, schema: JsonSchema): Html {
  const members = membersOf(view.document, schema);
  if (members.length === 0) return html`<h3>${title}</h3><p class="type">${type}</p>`;
  const link = linkToShown(view, schema, members.length);
  return html`<h3>${title}</h3>${link ?? memberList(view, members)}`;
}

/** The answers beside the first that are no errors, e.g. 304. */
function otherAnswers(document: ApiDocument, { responses }: OperationSpec): Html[] {
  const others = Object.entries(responses).filter(([status], index) => index > 0 && Number(status) < 400);
  return others.map(
    ([status, response]) =>
      html`<h3>Answer ${status}</h3><p>${prose(String(resolved(document, response).description ?? ''))}</p>`,
  );
}

/** Where the members of a record stand that was shown before; undefined: they are shown now. */
function linkToShown({ shown, spec }: View, schema: JsonSchema, size: number): Html | undefined {
  const name = refOf(schema);
  if (!shown || name === undefined || size < FEW_MEMBERS) return undefined;
  const first = shown.get(name);
  if (first)
    return html`<p class="same">As in <a href="#${first.operationId}">${titleOf(first.operationId)}</a></p>`;
  shown.set(name, spec);
  return undefined;
}

/** The name of a schema, also where null is possible; undefined: it has none. */
function refOf(schema: JsonSchema): string | undefined {
  const choices = (schema.anyOf as JsonSchema[] | undefined) ?? [];
  const ref = [schema, ...choices].map((one) => one.$ref as string | undefined).find(Boolean);
  return ref?.split('/').at(-1);
}

/** The name of the record that an answer has, or a page of them. */
function recordIn(schema: JsonSchema): string | undefined {
  const { data } = (schema.properties ?? {}) as Record<string, JsonSchema | undefined>;
  return refOf(schema) ?? refOf((data?.items as JsonSchema | undefined) ?? {});
}

/** What the members of an operation are rendered with. */
interface View {
  document: ApiDocument;
  spec: OperationSpec;
  /** Undefined for requests: they mark required members, and always have them all. */
  shown: ShownRecords | undefined;
}

function parametersOf({ parameters = [] }: OperationSpec, where: string): DocumentedMember[] {
  return parameters
    .filter((parameter) => parameter.in === where)
    .map(({ name, schema, description, required = false }) => ({ name, schema, description, required }));
}

function errorLinks({ responses }: OperationSpec): Html {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  const links = errors.map(([status]) => html`<a href="../docs#errors-${status}">${status}</a> `);
  return html`<p class="errors">Errors ${links}</p>`;
}

/** Renders one request in all languages; a script shows the chosen one, and curl without it. */
function requestSample(samples: Sample[]): Html {
  const options = samples.map(({ language }) => html`<option>${language}</option>`);
  const texts = samples.map(({ language, text }) => {
    return html`<pre tabindex="0" data-language="${language}"${language !== 'curl' && new Html(' hidden')}><code>${text}</code></pre>`;
  });
  return html`<figure class="request"><figcaption>Request <select class="language" aria-label="Language" hidden>${options}</select></figcaption><button type="button" class="copy" hidden>Copy</button>${texts}</figure>`;
}

/** Renders what an operation does, takes and returns. @param shown records of operations above it; this one's are added */
export function operationDescription(
  document: ApiDocument,
  { method, path, spec }: PlacedOperation,
  shown: ShownRecords,
): Html {
  const inputs = { document, spec, shown: undefined };
  const [status, answer] = Object.entries(spec.responses)[0]!;
  const [type, content] = Object.entries(answer.content ?? {})[0] ?? [];
  const body = spec.requestBody?.content[JSON_TYPE]?.schema;
  return html`<h2><a href="#${spec.operationId}">${titleOf(spec.operationId)}</a></h2>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p>${prose(spec.summary)} ${prose(spec.description)}</p>
${section('Path', inputs, parametersOf(spec, 'path'))}
${section('Query', inputs, parametersOf(spec, 'query'))}
${section('Headers', inputs, parametersOf(spec, 'header'))}
${body && section('Body', inputs, membersOf(document, body))}
${content && answerSection({ document, spec, shown }, `Answer ${status}`, type, content.schema)}
${otherAnswers(document, spec)}
${errorLinks(spec)}`;
}

/** Renders the example of an answer; of a record that the page has above, its members are linked and it has none. */
function answerSample(document: ApiDocument, spec: OperationSpec, shown: ShownRecords): Html | undefined {
  const [status, answer] = Object.entries(spec.responses)[0]!;
  const content = answer.content?.[JSON_TYPE];
  if (!content || shown.has(recordIn(content.schema) ?? '')) return undefined;
  if (membersOf(document, content.schema).length === 0) return undefined;
  return sampleView(`Answer ${status}`, JSON.stringify(exampleValue(document, content.schema), null, 2));
}

/** Renders one operation, with samples of a request and its answer. @param shown records of operations above it */
export function operationView(document: ApiDocument, operation: PlacedOperation, shown: ShownRecords): Html {
  const { spec } = operation;
  const answered = answerSample(document, spec, shown);
  return html`<section class="operation" id="${spec.operationId}">
<div class="description">
${operationDescription(document, operation, shown)}
</div>
<div class="samples">
${requestSample([...samplesOf(document, operation), ...clientSamplesOf(spec.operationId)])}
<div class="run" data-operation="${spec.operationId}"></div>
${answered}
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

function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function below(view: View, schema: JsonSchema): Html | undefined {
  const plain = plainSchema(view.document, schema);
  if (plain.type === 'array') return below(view, plain.items as JsonSchema);
  const members = membersOf(view.document, plain);
  if (members.length === 0) return undefined;
  const link = linkToShown(view, schema, members.length);
  return (
    link ?? html`<details><summary>${members.length} members</summary>${memberList(view, members)}</details>`
  );
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

/** Renders members with type, meaning, allowed values and nested members. */
function memberList(view: View, members: DocumentedMember[]): Html {
  const { document, shown } = view;
  const items = members.map(({ name, schema, description, required }) => {
    const plain = plainSchema(document, schema);
    const values = ((plain.enum ?? []) as unknown[]).filter((value) => value !== null);
    const said = String(description ?? '');
    const range = rangeOf(said, plain);
    const facts = [
      values.length > 0 &&
        html`<span class="values">One of ${values.map((value) => html`${code(value)} `)}</span>`,
      range && html`<span>${range}</span>`,
      plain.default !== undefined &&
        !said.includes('Default: ') &&
        html`<span>Default ${code(plain.default)}</span>`,
    ].filter((fact) => fact instanceof Object);
    return html`<li><div class="member"><code class="name">${name}</code> <span class="type">${typeText(document, schema)}</span>${
      shown === undefined && required && html` <span class="required">required</span>`
    }</div>${description ? html`<p>${prose(description)}</p>` : ''}${
      facts.length > 0 && html`<p class="facts">${facts}</p>`
    }${below(view, schema)}</li>`;
  });
  return html`<ul class="members">${items}</ul>`;
}
