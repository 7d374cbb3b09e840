// Searches everything that the page says: operations, their parameters, headers, members and error codes.

(() => {
  const menu = document.querySelector('#menu');
  const field = document.querySelector('#filter');
  const hits = document.querySelector('#hits');
  const found = document.querySelector('#found');
  const AROUND = 36;

  const plain = (element) => element.textContent.replace(/\s+/g, ' ').trim();

  /** An operation's own text, without samples, and the codes of its errors. */
  function textOf(section) {
    const described = section.querySelector('.description');
    const errors = [...described.querySelectorAll('.errors a')].map((link) => {
      return plain(document.querySelector(`${link.hash} .codes`));
    });
    return `${[...described.querySelectorAll('h3, h4, p, .member')].map(plain).join(' · ')} · ${errors.join(' ')}`;
  }

  let pages;
  /** Read when the search is used first: the page has some hundred thousand letters. */
  function allPages() {
    const sections = [...document.querySelectorAll('main > section')];
    const rows = [...document.querySelectorAll('#errors tr')];
    pages ??= [
      ...sections
        .filter(({ id }) => id !== 'errors')
        .map((section) => ({
          id: section.id,
          title: plain(section.querySelector('h2, h3')),
          text: section.classList.contains('operation') ? textOf(section) : plain(section),
        })),
      ...rows.map((row) => ({ id: row.id, title: `Error ${row.id.slice(7)}`, text: plain(row) })),
    ].map((page) => ({ ...page, lower: page.text.toLowerCase() }));
    return pages;
  }

  /** Shows the operations whose address, title or group has all words. @returns their ids */
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
        named.add(link.hash.slice(1));
      }
      group.hidden = words.length > 0 && shown === 0;
    }
    return named;
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
      link.href = `#${page.id}`;
      link.append(page.title, document.createElement('br'), snippet(page, words));
      item.append(link);
      return item;
    });
    const heading = document.createElement('p');
    heading.textContent = 'In the text';
    found.replaceChildren(...(items.length > 0 ? [heading, ...items] : []));
    found.hidden = items.length === 0;
  }

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const named = filterMenu(words);
    hits.hidden = words.length === 0;
    if (words.length === 0) return showFound([], words);
    const others = allPages().filter(
      ({ id, lower }) => !named.has(id) && words.every((word) => lower.includes(word)),
    );
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
