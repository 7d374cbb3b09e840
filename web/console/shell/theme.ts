import { TabText } from '../api/store.js';

/** 'light' or 'dark'; null: the system's. */
export const theme = new TabText('console:theme');

export function applyTheme(): void {
  const chosen = theme.get();
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

export function changeTheme(): void {
  const chosen = theme.get();
  const dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  theme.set(dark ? 'light' : 'dark');
  applyTheme();
}
