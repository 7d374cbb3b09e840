/** Where programs and their libraries are found, and what Windows' own libraries ask for. */
const INHERITED = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'TMPDIR',
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'],
];

/**
 * What Postgres programs get of this process' environment, which holds secrets: the server keeps it for as long as it runs,
 * readable by its user. Messages are in English, which the launcher reads.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}
