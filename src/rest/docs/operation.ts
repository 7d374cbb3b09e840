import { type Html, html, prose } from '../../base/html.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import {
  type ApiDocument,
  exampleValue,
  type OperationSpec,
  type ParameterSpec,
  resolved,
} from './document.js';
import { type Member, memberList, membersOf } from './members.js';

/** An operation with its method and path. */
export interface PlacedOperation {
  method: string;
  path: string;
  spec: OperationSpec;
}

const JSON_TYPE = 'application/json';

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a curl command for the operation; `BASE` and the credential are shell variables. */
function curl(document: ApiDocument, { method, path, spec }: PlacedOperation): string {
  const parameters = spec.parameters ?? [];
  const shown = ({ name }: ParameterSpec) =>
    String(exampleValue(document, parameters.find((p) => p.name === name)!.schema));
  const address = path.replace(/{(\w+)}/g, (_whole, name: string) => shown({ name } as ParameterSpec));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(shown(parameter))}`)
    .join('&');
  const headers = [
    ...spec.security
      .flatMap((scheme) => Object.keys(scheme))
      .map((name) => {
        const { type, name: header } = document.components.securitySchemes[name]!;
        return type === 'http' ? '"authorization: Bearer $TOKEN"' : `"${header}: $KEY"`;
      }),
    ...parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required)
      .map(({ name }) => `"${name}: $NONCE"`),
  ];
  const example = spec.requestBody?.content[JSON_TYPE]?.example;
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && example) ? '' : `-X ${method} `}"$BASE${address}${query && `?${query}`}"`,
    ...headers.map((header) => `-H ${header}`),
    ...(example ? [`-H 'content-type: ${JSON_TYPE}'`, `-d ${quoted(JSON.stringify(example, null, 2))}`] : []),
  ];
  return lines.join(' \\\n  ');
}

function section(title: string, document: ApiDocument, members: Member[], marks = true): Html | undefined {
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

function parametersOf({ parameters = [] }: OperationSpec, where: string): Member[] {
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

/** Renders one operation: description, inputs, responses, and an example of each. */
export function operationView(document: ApiDocument, operation: PlacedOperation): Html {
  const { method, path, spec } = operation;
  const [status, answer] = Object.entries(spec.responses)[0]!;
  const [type, content] = Object.entries(answer.content ?? {})[0] ?? [];
  const body = spec.requestBody?.content[JSON_TYPE]?.schema;
  return html`<section class="operation" id="${spec.operationId}">
<div class="told">
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
${sample('Request', curl(document, operation))}
${type === JSON_TYPE && content && sample(`Answer ${status}`, JSON.stringify(exampleValue(document, content.schema), null, 2))}
</div>
</section>
`;
}
