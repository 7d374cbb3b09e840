import { overlayLinkOf, overlayQuery, overlaySize } from '../../src/server/pages/overlay-look.js';
import { texts } from '../../src/server/pages/texts.js';

const COPIED_MS = 1_500;
/** While someone types or drags, the preview waits. */
const CALM_MS = 250;

/** Shows each choice of the overlay's form at once, and copies the link. */
export function enhanceBuilder(form: HTMLFormElement): void {
  const { board = '', accent = '', link: known } = form.dataset;
  const [field, open, size, preview, copy] = ['link', 'open', 'size', 'preview', 'copy'].map((name) =>
    document.querySelector(`#overlay-${name}`),
  ) as [HTMLInputElement, HTMLAnchorElement, HTMLElement, HTMLIFrameElement, HTMLButtonElement];
  const absolute = (address: string) => new URL(address, location.href).href;
  const show = () => {
    if (!form.checkValidity()) return;
    const link = overlayLinkOf(Object.fromEntries(new FormData(form)));
    const query = overlayQuery(link, accent);
    const address = `${board}?${query}`;
    const { width, height } = overlaySize(link);
    field.value = `${known ?? absolute(board)}?${query}`;
    open.href = address;
    size.textContent = texts.overlay.pixels(width, height);
    Object.assign(preview, { width: String(width), height: String(height) });
    if (preview.src !== absolute(address)) preview.src = address;
  };
  // What is really there may be larger: long names, a head of two lines.
  preview.addEventListener('load', () => {
    const main = preview.contentDocument?.querySelector('main');
    if (!main) return;
    const height = Math.max(Number(preview.height), Math.ceil(main.scrollHeight / 10) * 10);
    preview.height = String(height);
    size.textContent = texts.overlay.pixels(Number(preview.width), height);
  });
  let due: number | undefined;
  form.classList.add('enhanced');
  form.addEventListener('input', () => {
    clearTimeout(due);
    due = window.setTimeout(show, CALM_MS);
  });
  if (known === undefined) field.value = absolute(open.getAttribute('href')!);
  field.addEventListener('focus', () => field.select());
  // Browsers give the clipboard to pages of https and of this machine only.
  if (!navigator.clipboard) return;
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(field.value);
    copy.textContent = texts.guides.copied;
    setTimeout(() => {
      copy.textContent = texts.guides.copy;
    }, COPIED_MS);
  });
}
