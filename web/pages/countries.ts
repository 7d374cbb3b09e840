/** Names countries in the visitor's language, and sorts them by these names. */
export function nameCountries(root: ParentNode): void {
  const { language } = navigator;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const { compare } = new Intl.Collator(language);
  for (const list of root.querySelectorAll('ol:has(> [data-country])')) {
    const items = [...list.querySelectorAll<HTMLElement>('[data-country]')].map((item) => {
      const name = names.of(item.dataset.country!)!;
      item.querySelector('bdi')!.textContent = name;
      return { item, name };
    });
    list.append(...items.toSorted((a, b) => compare(a.name, b.name)).map(({ item }) => item));
  }
}
