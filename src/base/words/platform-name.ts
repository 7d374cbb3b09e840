/** Names of platforms as their makers write them, by what engines and browsers report for them. */
const NAMES: Record<string, string> = {
  android: 'Android',
  browser: 'Web',
  darwin: 'macOS',
  html5: 'Web',
  ios: 'iOS',
  ipados: 'iPadOS',
  iphone: 'iOS',
  linux: 'Linux',
  mac: 'macOS',
  macos: 'macOS',
  osx: 'macOS',
  playstation: 'PlayStation',
  ps4: 'PlayStation 4',
  ps5: 'PlayStation 5',
  steamdeck: 'Steam Deck',
  switch: 'Nintendo Switch',
  tvos: 'tvOS',
  visionos: 'visionOS',
  web: 'Web',
  webgl: 'Web',
  win32: 'Windows',
  windows: 'Windows',
  xbox: 'Xbox',
};

/** The name of a platform for people, `iOS` for `ios`; one that is not known stays as the game wrote it. */
export function platformName(platform: string): string {
  return NAMES[platform.toLowerCase()] ?? platform;
}
