import path from 'node:path';

const TESTS = path.resolve(__dirname, '..');

/**
 * Runs test files as parts of this one, each as it is with all it sets up: jest loads the service anew for every file,
 * which takes three seconds of CPU. The sequencer leaves out what is run here.
 * @param names below test/, without `.test.ts`
 */
export function stories(...names: string[]): void {
  describe.each(names)('%s', (name) => {
    require(path.join(TESTS, `${name}.test.ts`));
  });
}
