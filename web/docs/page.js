// The page is whole without its scripts. This one folds the menu, chooses the language of samples and copies them.

const menu = document.querySelector('#menu');
const wide = matchMedia('(min-width: 48.01rem)');

function unfold() {
  menu.open = wide.matches;
}
unfold();
wide.addEventListener('change', unfold);
menu.addEventListener('click', (event) => {
  if (event.target.closest('a') && !wide.matches) menu.open = false;
});

const links = [...menu.querySelectorAll('a')];

// Operations had their anchors at /docs before each group had its page: such an address leads to the page.
function followAnchor() {
  if (location.hash === '' || document.getElementById(location.hash.slice(1))) return;
  const link = links.find(({ hash }) => hash === location.hash);
  if (link) location.replace(link.href);
}
followAnchor();
addEventListener('hashchange', followAnchor);

// The menu marks the operation that is read.
const inMenu = new Map(
  links
    .filter(({ pathname, hash }) => pathname === location.pathname && hash !== '')
    .map((link) => [link.hash.slice(1), link]),
);
const reading = new IntersectionObserver(
  (entries) => {
    const entered = entries.filter(({ isIntersecting }) => isIntersecting).at(-1);
    const link = entered && inMenu.get(entered.target.id);
    if (!link) return;
    menu.querySelector('[aria-current="true"]')?.removeAttribute('aria-current');
    link.setAttribute('aria-current', 'true');
    if (wide.matches) link.scrollIntoView({ block: 'nearest' });
  },
  // A line in the upper part of the window.
  { rootMargin: '-20% 0px -79% 0px' },
);
for (const section of document.querySelectorAll('main > section')) reading.observe(section);

const LANGUAGE = 'docs:language';
const pickers = [...document.querySelectorAll('.language')];

/** Operations that games do not call have no sample of the clients: they show the first one. */
function choose(language) {
  for (const picker of pickers) {
    const own = [...picker.options].some(({ value }) => value === language);
    picker.value = own ? language : picker.options[0].value;
    for (const sample of picker.closest('.request').querySelectorAll('[data-language]'))
      sample.hidden = sample.dataset.language !== picker.value;
  }
}
for (const picker of pickers) {
  picker.hidden = false;
  picker.addEventListener('change', () => {
    // The samples above change their height: this one is to stay under the pointer.
    const before = picker.getBoundingClientRect().top;
    choose(picker.value);
    scrollBy(0, picker.getBoundingClientRect().top - before);
    localStorage.setItem(LANGUAGE, picker.value);
  });
}
const known = pickers.flatMap(({ options }) => [...options].map(({ value }) => value));
const chosen = localStorage.getItem(LANGUAGE);
if (known.includes(chosen)) choose(chosen);

for (const button of document.querySelectorAll('.copy')) {
  // Browsers give the clipboard to pages of https and of this machine only.
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const sample = button.parentElement.querySelector('pre:not([hidden])');
    await navigator.clipboard.writeText(sample.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}
