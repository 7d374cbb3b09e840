import MiniSearch from 'minisearch';
import { texts } from '../../src/server/pages/texts.js';

/** A section of a guide: `id` is its address below /guides/, `page` the title of the guide. */
interface Section {
  id: string;
  page: string;
  title: string;
  text: string;
}

const MOST_FOUND = 8;
/** Characters of a section's text that a hit shows. */
const EXCERPT = 90;
const COPIED_MS = 1_500;

/** The guides are whole without this: it searches them, copies their samples, and marks what is read in the outline. */
export function enhanceGuide(): void {
  const search = document.querySelector<HTMLElement>('.search');
  if (search) offerSearch(search);
  for (const sample of document.querySelectorAll('main pre')) offerCopy(sample);
  markReading();
}

function offerSearch(search: HTMLElement): void {
  const field = search.querySelector('input')!;
  const list = search.querySelector('ol')!;
  const root = search.dataset.guides!;
  let loading: Promise<MiniSearch<Section>> | undefined;
  const load = () => {
    loading ??= loadIndex(root);
    // Tried again with the next letter.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  const show = async () => {
    const words = field.value.trim();
    list.hidden = words === '';
    if (words === '') return;
    const index = await load();
    if (words !== field.value.trim()) return;
    const hits = index.search(words, {
      prefix: true,
      fuzzy: 0.2,
      combineWith: 'AND',
      boost: { title: 4, page: 2 },
    });
    list.replaceChildren(
      ...hits.slice(0, MOST_FOUND).map((hit) => hitOf(root, hit as unknown as Section, words)),
    );
    if (hits.length === 0) list.append(nothingFound());
  };
  search.hidden = false;
  field.addEventListener('focus', () => void load().catch(() => undefined), { once: true });
  field.addEventListener('input', () => void show().catch(() => undefined));
  search.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    field.value = '';
    list.hidden = true;
    field.focus();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || (event.target as HTMLElement).closest('input, textarea, select')) return;
    event.preventDefault();
    field.focus();
  });
}

async function loadIndex(root: string): Promise<MiniSearch<Section>> {
  const answer = await fetch(`${root}search.json`);
  if (!answer.ok) throw new Error(`The index answered with status ${answer.status}`);
  const index = new MiniSearch<Section>({
    fields: ['title', 'page', 'text'],
    storeFields: ['id', 'page', 'title', 'text'],
  });
  index.addAll((await answer.json()) as Section[]);
  return index;
}

function hitOf(root: string, { id, page, title, text }: Section, words: string): HTMLElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const excerpt = document.createElement('small');
  const at = Math.max(0, text.toLowerCase().indexOf(words.toLowerCase()) - EXCERPT / 3);
  excerpt.textContent = `${at > 0 ? '…' : ''}${text.slice(at, at + EXCERPT)}…`;
  link.href = root + id;
  link.append(title === page ? title : `${page}: ${title}`, excerpt);
  item.append(link);
  return item;
}

function nothingFound(): HTMLElement {
  const item = document.createElement('li');
  item.className = 'none';
  item.textContent = texts.guides.nothingFound;
  return item;
}

/** Browsers give the clipboard to pages of https and of this machine only. */
function offerCopy(sample: Element): void {
  if (!navigator.clipboard) return;
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = texts.guides.copy;
  sample.replaceWith(frame);
  frame.append(sample, button);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.textContent ?? '');
    button.textContent = texts.guides.copied;
    setTimeout(() => {
      button.textContent = texts.guides.copy;
    }, COPIED_MS);
  });
}

function markReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => [link.hash.slice(1), link]),
  );
  const observer = new IntersectionObserver(
    (entries) => {
      const link = links.get(entries.findLast(({ isIntersecting }) => isIntersecting)?.target.id ?? '');
      if (!link) return;
      document.querySelector('.outline [aria-current]')?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'true');
    },
    { rootMargin: '0px 0px -70% 0px' },
  );
  for (const id of links.keys()) observer.observe(document.getElementById(id)!);
}
