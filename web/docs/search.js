// Searches everything that the page says: operations, their parameters, headers, members and error codes.

(() => {
  const menu = document.querySelector('#menu');
  const field = document.querySelector('#filter');
  const hits = document.querySelector('#hits');
  const found = document.querySelector('#found');
  const AROUND = 36;

  /** The service's root, also behind a proxy that serves it below a path. */
  const ROOT = new URL('..', document.currentScript.src);

  let loading;
  /** Loaded when the search is used first: what all pages say has some hundred thousand letters. */
  function allPages() {
    loading ??= fetch(new URL(field.dataset.index, ROOT))
      .then((response) => response.json())
      .then((pages) =>
        pages.map((page) => ({
          ...page,
          href: new URL(page.href, ROOT).href,
          lower: page.text.toLowerCase(),
        })),
      );
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  }

  /** Shows the operations whose title, address or group has all words. @returns their addresses */
  function filterMenu(words) {
    const named = new Set();
    for (const group of menu.querySelectorAll(':scope > ul > li')) {
      const heading = group.firstElementChild.textContent;
      let shown = 0;
      for (const item of group.querySelectorAll('li')) {
        const link = item.firstElementChild;
        const text = `${heading} ${link.textContent} ${link.title}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
        if (item.hidden) continue;
        shown += 1;
        named.add(link.href);
      }
      group.hidden = words.length > 0 && shown === 0;
    }
    return named;
  }

  /** What has the words in its title comes first. */
  function isNamed({ title }, words) {
    return words.every((word) => title.toLowerCase().includes(word));
  }

  function snippet({ text, lower }, words) {
    const word = words.reduce((rarest, next) =>
      lower.split(next).length < lower.split(rarest).length ? next : rarest,
    );
    const at = lower.indexOf(word);
    const small = document.createElement('small');
    const mark = document.createElement('mark');
    mark.textContent = text.slice(at, at + word.length);
    const before = text.slice(Math.max(0, at - AROUND), at);
    small.append(
      at > AROUND ? `…${before}` : before,
      mark,
      text.slice(at + word.length, at + word.length + AROUND),
      '…',
    );
    return small;
  }

  function showFound(others, words) {
    const items = others.map((page) => {
      const item = document.createElement('p');
      const link = document.createElement('a');
      link.href = page.href;
      link.append(page.title, document.createElement('br'), snippet(page, words));
      item.append(link);
      return item;
    });
    const heading = document.createElement('p');
    heading.textContent = 'In the text';
    found.replaceChildren(...(items.length > 0 ? [heading, ...items] : []));
    found.hidden = items.length === 0;
  }

  async function search() {
    const typed = field.value;
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const named = filterMenu(words);
    menu.classList.toggle('searched', words.length > 0);
    hits.hidden = words.length === 0;
    if (words.length === 0) return showFound([], words);
    const pages = await allPages().catch(() => []);
    // Another letter was typed while they were loaded.
    if (field.value !== typed) return;
    const others = pages
      .filter(({ href, lower }) => !named.has(href) && words.every((word) => lower.includes(word)))
      .toSorted((a, b) => Number(isNamed(b, words)) - Number(isNamed(a, words)));
    showFound(others, words);
    const count = named.size + others.length;
    hits.textContent = count === 1 ? '1 hit' : `${count} hits`;
  }

  field.hidden = false;
  field.addEventListener('input', search);
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
    event.preventDefault();
    menu.open = true;
    field.focus();
  });
})();
