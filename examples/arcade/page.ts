/** Elements of the page, and the visitor's preferences. */

export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

export function element(name: string, text = '', className = ''): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** True: nothing moves but the game itself. */
export function isStill(): boolean {
  return stillness.matches;
}
