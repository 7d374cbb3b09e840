import { texts } from '../../src/server/pages/texts.js';

const DONE_MS = 1_500;

/** Says what was done, in the button's place, for a moment. */
function sayIn(button: HTMLElement, done: string): void {
  const before = button.textContent;
  button.textContent = done;
  setTimeout(() => {
    button.textContent = before;
  }, DONE_MS);
}

/** Buttons that share the page or copy a text, where the browser can: it gives the clipboard to pages of https alone. */
export function enhanceSharing(): void {
  const canShare = typeof navigator.share === 'function';
  for (const button of document.querySelectorAll<HTMLButtonElement>('#share, [data-copy]')) {
    const source = button.dataset.copy;
    if (!navigator.clipboard && (source !== undefined || !canShare)) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const url = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href;
      if (source === undefined && canShare)
        // Rejects when the visitor changes their mind.
        return navigator.share({ title: document.title, url }).catch(() => undefined);
      const text = source === undefined ? url : document.querySelector<HTMLTextAreaElement>(source)!.value;
      await navigator.clipboard.writeText(text);
      sayIn(button, texts.guides.copied);
    });
  }
  const form = document.querySelector<HTMLFormElement>('#embed-form');
  form?.addEventListener('change', () => form.reportValidity() && form.requestSubmit());
}
