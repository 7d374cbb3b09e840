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

const LANGUAGE = 'docs:language';
const pickers = [...document.querySelectorAll('.language')];

function choose(language) {
  for (const picker of pickers) picker.value = language;
  for (const sample of document.querySelectorAll('[data-language]'))
    sample.hidden = sample.dataset.language !== language;
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
const known = [...pickers[0].options].map(({ value }) => value);
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
