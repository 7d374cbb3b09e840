/** Search paths of programs and libraries, and the variables that Windows' own libraries need. */
const INHERITED = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'TMPDIR',
  ...['SystemRoot', 'SystemDrive', 'windir', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'],
];

/**
 * Returns the environment of Postgres programs. This process' own contains secrets, and the server's is readable by its
 * user for as long as it runs. Messages are in English, since the launcher reads them.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}
