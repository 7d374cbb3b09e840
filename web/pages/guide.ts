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
    const { hits, isExact } = found(index, words);
    list.replaceChildren(...hits.map((hit) => hitOf(root, hit, words)));
    if (!isExact) list.prepend(noneHasAll(words));
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

/** What all pages begin with, where no word of a search is in any. */
const FIRST_PAGES = ['getting-started', 'concepts', 'console'];
const BOOST = { title: 4, page: 2 };

/** Sections with all words first, then those with some, then those with words like them. Never none. */
function found(index: MiniSearch<Section>, words: string): { hits: Section[]; isExact: boolean } {
  const all = index.search(words, { prefix: true, fuzzy: 0.2, combineWith: 'AND', boost: BOOST });
  const some = index.search(words, { prefix: true, fuzzy: 0.34, combineWith: 'OR', boost: BOOST });
  const hits = new Map([...all, ...some].map((hit) => [String(hit.id), hit as unknown as Section]));
  const isSection = ({ id }: { id?: unknown }) => FIRST_PAGES.includes(String(id));
  const shown = hits.size > 0 ? [...hits.values()] : index.search(MiniSearch.wildcard).filter(isSection);
  return { hits: shown.slice(0, MOST_FOUND) as unknown as Section[], isExact: all.length > 0 };
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

function noneHasAll(words: string): HTMLElement {
  const item = document.createElement('li');
  item.className = 'none';
  item.textContent = texts.guides.noneHasAll(words);
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
