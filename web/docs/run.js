// Runs an operation from the page, with the key of this tab. Requests go to the service that served the page alone.

(() => {
  const MOST_SHOWN = 200_000;
  const WRITES = {
    POST: 'may create or change records',
    PUT: 'replaces a record',
    PATCH: 'changes a record',
    DELETE: 'deletes a record',
  };
  const credentials = { key: '', token: '' };
  /** The service's root, also behind a proxy that serves it below a path. */
  const ROOT = new URL('..', document.currentScript.src);

  function stored() {
    const explorer = (() => {
      try {
        return JSON.parse(sessionStorage.getItem('explorer:credentials')) ?? {};
      } catch {
        return {};
      }
    })();
    // The console and the explorer of this tab keep theirs at the same origin.
    credentials.key =
      sessionStorage.getItem('docs:key') ?? sessionStorage.getItem('console:key') ?? explorer.apiKey ?? '';
    credentials.token = sessionStorage.getItem('docs:token') ?? explorer.deviceToken ?? '';
  }

  /** @param props properties; `data` is set as text */
  function make(tag, props = {}, ...children) {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  }

  let documented;
  function openapi() {
    documented ??= fetch(new URL('openapi.json', ROOT)).then((response) => response.json());
    documented.catch(() => {
      documented = undefined;
    });
    return documented;
  }

  function field(label, props, tag = 'input') {
    const input = make(tag, { autocomplete: 'off', spellcheck: false, ...props });
    return { input, row: make('label', {}, make('span', { textContent: label }), input) };
  }

  function credentialFields() {
    const rows = [
      ['key', 'API key of this tab', 'docs:key'],
      ['token', 'Access token for this tab', 'docs:token'],
    ].map(([name, label, item]) => {
      const { input, row } = field(label, { type: 'password', value: credentials[name] });
      input.addEventListener('input', () => {
        credentials[name] = input.value.trim().replace(/^bearer\s+/i, '');
        sessionStorage.setItem(item, credentials[name]);
      });
      return row;
    });
    const hint = make('p', {
      textContent: 'Used by the Run buttons below. Kept in this browser tab only, until you close it.',
    });
    document.querySelector('#keys').append(...rows, hint);
  }

  function placeOf(document, id) {
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, spec] of Object.entries(item))
        if (spec.operationId === id) return { method: method.toUpperCase(), path, spec };
  }

  /** Headers of the first credential of the operation that this tab has. */
  function credentialOf(document, { security }) {
    for (const name of security.flatMap(Object.keys)) {
      const { type, name: header } = document.components.securitySchemes[name];
      if (type === 'http' && credentials.token) return { authorization: `Bearer ${credentials.token}` };
      if (type !== 'http' && credentials.key) return { [header]: credentials.key };
    }
    return {};
  }

  async function build(place) {
    const document_ = await openapi();
    const { method, path, spec } = placeOf(document_, place.dataset.operation);
    const parameters = (spec.parameters ?? []).map((parameter) => ({
      parameter,
      ...field(`${parameter.name}${parameter.required ? ' *' : ''}`, { placeholder: parameter.in }),
    }));
    const [type, content] = Object.entries(spec.requestBody?.content ?? {})[0] ?? [];
    const isText = /json|text/.test(type ?? '');
    const example = content?.example;
    const body =
      type &&
      field(
        `Body, ${type}`,
        isText ? { rows: 8, value: example ? JSON.stringify(example, null, 2) : '' } : { type: 'file' },
        isText ? 'textarea' : 'input',
      );
    const button = make('button', { type: 'button', textContent: 'Run' });
    const asking = make('div', { className: 'asking', hidden: true });
    const state = make('p', { className: 'state' });
    state.setAttribute('role', 'status');
    const output = make('pre', { tabIndex: 0, hidden: true });
    output.setAttribute('aria-label', 'Answer');

    const request = () => {
      const query = new URLSearchParams();
      const headers = credentialOf(document_, spec);
      let address = path;
      for (const { parameter, input } of parameters) {
        const value = input.value.trim();
        if (parameter.in === 'path')
          address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
        else if (value === '') continue;
        else if (parameter.in === 'query') query.append(parameter.name, value);
        else headers[parameter.name] = value;
      }
      const sent = body && (isText ? body.input.value : body.input.files[0]);
      if (sent) headers['content-type'] = isText ? type : sent.type || type;
      const search = String(query);
      return {
        address: `${address}${search && `?${search}`}`,
        init: { method, headers, body: sent || undefined },
      };
    };

    const send = async () => {
      asking.hidden = true;
      const { address, init } = request();
      const stopping = new AbortController();
      const stop = make('button', { type: 'button', textContent: 'Stop' });
      stop.addEventListener('click', () => stopping.abort());
      button.replaceWith(stop);
      output.textContent = '';
      output.hidden = false;
      state.textContent = 'Sent…';
      const began = performance.now();
      try {
        const response = await fetch(new URL(`.${address}`, ROOT), { ...init, signal: stopping.signal });
        const ended = () =>
          `${response.status} ${response.statusText}, ${Math.round(performance.now() - began)} ms`;
        state.textContent = ended();
        await show(response, output);
      } catch (fault) {
        if (fault.name === 'AbortError') state.textContent += ' · stopped';
        else state.textContent = `The service could not be reached (${fault.message}).`;
      }
      stop.replaceWith(button);
      button.focus();
    };

    button.addEventListener('click', () => {
      const missing = parameters.find(
        ({ parameter, input }) => parameter.in === 'path' && input.value.trim() === '',
      );
      if (missing) {
        state.textContent = `${missing.parameter.name} is missing.`;
        return missing.input.focus();
      }
      const deed = WRITES[method];
      if (!deed) return send();
      const address = request().address;
      const yes = make('button', { type: 'button', className: 'writes', textContent: `Send ${method}` });
      const no = make('button', { type: 'button', textContent: 'Cancel' });
      yes.addEventListener('click', send);
      no.addEventListener('click', () => {
        asking.hidden = true;
        button.focus();
      });
      asking.replaceChildren(
        make(
          'p',
          {},
          make('code', { textContent: `${method} ${address}` }),
          ` ${deed} in this installation.`,
        ),
        yes,
        no,
      );
      asking.hidden = false;
      yes.focus();
    });
    place.replaceChildren(
      ...parameters.map(({ row }) => row),
      ...(body ? [body.row] : []),
      button,
      asking,
      state,
      output,
    );
    (parameters[0]?.input ?? body?.input ?? button).focus();
  }

  /** JSON is laid out; a stream is shown as it comes; the rest beyond a bound is left out. */
  async function show(response, output) {
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      if (!isJson) output.textContent = text;
      if (text.length > MOST_SHOWN) {
        await reader.cancel();
        text = `${text.slice(0, MOST_SHOWN)}\n… the rest is not shown`;
        break;
      }
    }
    output.textContent = isJson ? laidOut(text) : text;
  }

  function laidOut(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  stored();
  credentialFields();
  for (const place of document.querySelectorAll('.run')) {
    const open = make('button', { type: 'button', textContent: 'Try it' });
    open.setAttribute('aria-label', `Try it: ${place.dataset.operation}`);
    open.addEventListener('click', () => {
      build(place).catch((fault) => {
        place.replaceChildren(
          open,
          make('p', { textContent: `Failed to load the API description (${fault.message}).` }),
        );
      });
    });
    place.append(open);
  }
})();
