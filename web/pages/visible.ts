/** A page that is hidden for so long needs no connection. */
const HIDDEN_MS = 30_000;

/** Calls `show` now and whenever the page is seen again, `hide` when it was hidden for a while. */
export function whileVisible(show: () => void, hide: () => void): void {
  let leaving: number | undefined;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = window.setTimeout(hide, HIDDEN_MS);
    else show();
  });
  show();
}
