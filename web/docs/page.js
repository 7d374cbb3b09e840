// The page is whole without this: it adds a filter to the list of operations and buttons to the samples.

const menu = document.querySelector('#menu');
const filter = document.querySelector('#filter');
const wide = matchMedia('(min-width: 48.01rem)');

function unfold() {
  menu.open = wide.matches;
}
unfold();
wide.addEventListener('change', unfold);
menu.addEventListener('click', (event) => {
  if (event.target.closest('a') && !wide.matches) menu.open = false;
});

filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of menu.querySelectorAll(':scope > ul > li')) {
    const heading = group.firstElementChild.textContent;
    let found = 0;
    for (const item of group.querySelectorAll('li')) {
      const link = item.firstElementChild;
      const text = `${heading} ${link.textContent} ${link.title}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) found += 1;
    }
    group.hidden = words.length > 0 && found === 0;
  }
});

for (const button of document.querySelectorAll('.copy')) {
  // Browsers give the clipboard to pages of https and of this machine only.
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}
