import { type ApiDocument, exampleValue, type OperationSpec, type ParameterSpec } from './document.js';
import type { Sample } from './sample.js';

/** An operation with its method and path. */
export interface PlacedOperation {
  method: string;
  path: string;
  spec: OperationSpec;
}

/** A header whose value is made of a text and a variable of the sample, e.g. `Bearer ` and TOKEN. */
interface SampleHeader {
  name: string;
  text: string;
  variable: 'KEY' | 'TOKEN' | 'NONCE' | 'RUN';
}

interface SampleRequest {
  method: string;
  /** Path and query, with example values. */
  address: string;
  headers: SampleHeader[];
  /** Value of a JSON body; undefined: none. */
  body: unknown;
  /** Content type of a body that is a file; undefined: it is none. */
  file: string | undefined;
  /** A stream is read in parts; undefined: the response has no content. */
  answer: 'json' | 'text' | 'stream' | undefined;
}

const JSON_TYPE = 'application/json';

/**
 * Members of bodies whose value must be the reader's own, by their variable: one device for all installations would be one
 * player. In a body they are the text `$DEVICE` until the language is known.
 */
const OWN: Record<string, string> = { client_fingerprint: 'DEVICE' };

/** Headers whose value is a variable; the key names the run, so that a repeated request counts once. */
const VARIABLES: Record<string, SampleHeader['variable']> = { 'idempotency-key': 'RUN' };

/** Requests of one operation in each language. BASE, KEY, TOKEN, NONCE, RUN, DEVICE and FILE are variables of the reader. */
export function samplesOf(document: ApiDocument, operation: PlacedOperation): Sample[] {
  const request = sampleRequest(document, operation);
  return [
    { language: 'curl', text: curl(request) },
    { language: 'JavaScript', text: javascript(request) },
    { language: 'C#', text: csharp(request) },
    ...(isForGames(operation) ? [gdscriptSample(request)] : []),
  ];
}

function gdscriptSample(request: SampleRequest): Sample {
  const text = request.answer === 'stream' ? gdscriptStream(request) : gdscript(request);
  return { language: 'GDScript', text };
}

/** What an administrator's key can do is nothing for a game. True if a caller without an administrator's key can make the request. */
function isForGames({ spec }: PlacedOperation): boolean {
  return spec.security.length === 0 || spec.security.some((scheme) => !('apiKey' in scheme));
}

function sampleRequest(document: ApiDocument, { method, path, spec }: PlacedOperation): SampleRequest {
  const parameters = spec.parameters ?? [];
  const shown = ({ schema }: ParameterSpec) => String(exampleValue(document, schema));
  const inPath = (name: string) => encodeURIComponent(shown(parameters.find((p) => p.name === name)!));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(shown(parameter))}`)
    .join('&');
  const credentials = spec.security
    .flatMap((scheme) => Object.keys(scheme))
    .map((name): SampleHeader => {
      const { type, name: header } = document.components.securitySchemes[name]!;
      return type === 'http'
        ? { name: 'authorization', text: 'Bearer ', variable: 'TOKEN' }
        : { name: header!, text: '', variable: 'KEY' };
    });
  const others = parameters
    .filter(({ in: place, name, required }) => place === 'header' && (required || VARIABLES[name]))
    .map(({ name }): SampleHeader => ({ name, text: '', variable: VARIABLES[name] ?? 'NONCE' }));
  return {
    method,
    address: path.replace(/{(\w+)}/g, (_whole, name: string) => inPath(name)) + (query && `?${query}`),
    headers: [...credentials, ...others],
    body: withOwn(spec.requestBody?.content[JSON_TYPE]?.example),
    file: Object.keys(spec.requestBody?.content ?? {}).find((type) => type !== JSON_TYPE),
    answer: answerOf(spec),
  };
}

function answerOf({ responses }: OperationSpec): SampleRequest['answer'] {
  const [first] = Object.values(responses);
  const [type] = Object.keys(first?.content ?? {});
  if (type === undefined) return undefined;
  if (type === JSON_TYPE) return 'json';
  return type === 'text/event-stream' ? 'stream' : 'text';
}

function withOwn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body).map(([name, value]) => [name, OWN[name] ? `$${OWN[name]}` : value]);
  return Object.fromEntries(members);
}

/** @param own the text of a variable in place of a quoted text, in the language */
function pretty(value: unknown, own: (variable: string) => string): string {
  return JSON.stringify(value, null, 2).replace(/"\$([A-Z]+)"/g, (_text, variable: string) => own(variable));
}
const plain = (variable: string) => variable;

function curl({ method, address, headers, body, file, answer }: SampleRequest): string {
  const isClear = method === 'GET' || (method === 'POST' && body !== undefined);
  const flags = `${answer === 'stream' ? '-N ' : ''}${isClear ? '' : `-X ${method} `}`;
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  // The variable is outside the single quotes.
  const inShell = (text: string) => quoted(text).replace(/: \$([A-Z]+)/g, `: "'"$$$1"'"`);
  return [
    `curl ${flags}"$BASE${address}"`,
    ...headers.map(({ name, text, variable }) => `-H "${name}: ${text}$${variable}"`),
    ...(body === undefined
      ? []
      : [`-H 'content-type: ${JSON_TYPE}'`, `-d ${inShell(pretty(body, (one) => `$${one}`))}`]),
    ...(file === undefined ? [] : [`-H 'content-type: ${file}'`, '--data-binary "@$FILE"']),
  ].join(' \\\n  ');
}

function javascript({ method, address, headers, body, file, answer }: SampleRequest): string {
  const lines = headers.map(({ name, text, variable }) => {
    return `    '${name}': ${text ? `\`${text}\${${variable}}\`` : variable},`;
  });
  const type = body === undefined ? file : JSON_TYPE;
  if (type !== undefined) lines.push(`    'content-type': '${type}',`);
  const init = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(pretty(body, plain), '  ')}),`]),
    ...(file === undefined ? [] : ['  body: FILE,']),
  ];
  const call = `fetch(\`\${BASE}${address}\`${init.length === 0 ? '' : `, {\n${init.join('\n')}\n}`})`;
  const reading = {
    json: '\nconst answer = await response.json();',
    text: '\nconst answer = await response.text();',
    stream:
      '\nfor await (const part of response.body.pipeThrough(new TextDecoderStream())) {\n  console.log(part);\n}',
  };
  return `const response = await ${call};${answer ? reading[answer] : ''}`;
}

function csharp({ method, address, headers, body, file, answer }: SampleRequest): string {
  const verb = `${method[0]}${method.slice(1).toLowerCase()}`;
  const options = answer === 'stream' ? ', HttpCompletionOption.ResponseHeadersRead' : '';
  const text = ['var answer = await response.Content.ReadAsStringAsync();'];
  const reading = {
    json: text,
    text,
    stream: [
      'using var reader = new StreamReader(await response.Content.ReadAsStreamAsync());',
      'while (await reader.ReadLineAsync() is string line)',
      '    Console.WriteLine(line);',
    ],
  };
  return [
    'using var http = new HttpClient();',
    `using var request = new HttpRequestMessage(HttpMethod.${verb}, $"{BASE}${address}");`,
    ...headers.map(({ name, text, variable }) => {
      return `request.Headers.Add("${name}", ${text ? `$"${text}{${variable}}"` : variable});`;
    }),
    // Verbatim strings, because Unity's compiler does not support raw strings.
    ...(body === undefined
      ? []
      : [`request.Content = new StringContent(@"${verbatim(body)}", Encoding.UTF8, "${JSON_TYPE}");`]),
    ...(file === undefined
      ? []
      : [
          'request.Content = new ByteArrayContent(File.ReadAllBytes(FILE));',
          `request.Content.Headers.ContentType = new MediaTypeHeaderValue("${file}");`,
        ]),
    `using var response = await http.SendAsync(request${options});`,
    ...(answer ? reading[answer] : []),
  ].join('\n');
}

/** The variable is a text between two others. */
function verbatim(body: unknown): string {
  const text = pretty(body, (one) => `$${one}`).replaceAll('"', '""');
  return text.replace(/: \$([A-Z]+)/g, ': """ + $1 + @"""');
}

function gdscriptHeaders({ headers, body, file }: SampleRequest): string {
  const lines = headers.map(({ name, text, variable }) => `"${name}: ${text}" + ${variable}`);
  const type = body === undefined ? file : JSON_TYPE;
  if (type !== undefined) lines.push(`"content-type: ${type}"`);
  return `[${lines.join(', ')}]`;
}

function gdscript(request: SampleRequest): string {
  const { method, address, body, file, answer } = request;
  const parts = [`BASE + "${address}"`, gdscriptHeaders(request), `HTTPClient.METHOD_${method}`];
  if (body !== undefined) parts.push(`JSON.stringify(${indented(pretty(body, plain), '')})`);
  const content = 'result[3].get_string_from_utf8()';
  return [
    'var http := HTTPRequest.new()',
    'add_child(http)',
    file === undefined
      ? `http.request(${parts.join(', ')})`
      : `http.request_raw(${parts.join(', ')}, FileAccess.get_file_as_bytes(FILE))`,
    'var result: Array = await http.request_completed',
    ...(answer === 'json' ? [`var answer = JSON.parse_string(${content})`] : []),
    ...(answer === 'text' ? [`var answer: String = ${content}`] : []),
  ].join('\n');
}

/** HTTPRequest waits for the end of a response; a stream has none. */
function gdscriptStream(request: SampleRequest): string {
  const { method, address } = request;
  return [
    'var client := HTTPClient.new()',
    'client.connect_to_host(HOST, PORT)',
    'while client.get_status() in [HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING]:',
    '\tclient.poll()',
    '\tawait get_tree().process_frame',
    `client.request(HTTPClient.METHOD_${method}, "${address}", ${gdscriptHeaders(request)})`,
    'while client.get_status() in [HTTPClient.STATUS_REQUESTING, HTTPClient.STATUS_BODY]:',
    '\tclient.poll()',
    '\tif client.get_status() == HTTPClient.STATUS_BODY:',
    '\t\tprint(client.read_response_body_chunk().get_string_from_utf8())',
    '\tawait get_tree().process_frame',
  ].join('\n');
}

/** Lines after the first one begin with `by`. */
function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
