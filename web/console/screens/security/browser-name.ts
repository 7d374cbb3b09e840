const BROWSERS: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

const found = (names: [RegExp, string][], agent: string) => names.find(([mark]) => mark.test(agent))?.[1];

/** What a person calls the program: `Firefox, Windows`; its first word where it is no known browser. */
export function browserName(agent: string): string {
  const names = [found(BROWSERS, agent), found(SYSTEMS, agent)].filter((name) => name !== undefined);
  return names.length > 0 ? names.join(', ') : agent.split('/')[0]!;
}
