import { existsSync } from 'node:fs';
import { LANGUAGES, type LanguageName } from '../../clients/conformance/languages.js';
import { Runner } from '../../clients/conformance/run.js';
import { scenarios } from '../../clients/conformance/scenario.js';
import { clientGround } from './client-ground.js';

/**
 * A test for each scenario; skipped, with the reason in its title, where the language is not installed.
 * @param variant argument of the driver
 */
export function testsOf(name: LanguageName, chosen = scenarios(), variant?: string): void {
  const { [name]: whole } = LANGUAGES;
  const language =
    variant === undefined
      ? whole
      : { ...whole, name: `${whole.name}, ${variant}`, command: [...whole.command, variant] };
  const missing = language.needs.find((file) => !existsSync(file));
  if (missing !== undefined) {
    test.skip(`${language.name}: ${missing} is not installed (node clients/conformance/install.cjs)`, () =>
      undefined);
    return;
  }
  describe(language.name, () => {
    let service: Awaited<ReturnType<typeof clientGround>>;
    let runner: Runner;
    beforeAll(async () => {
      service = await clientGround();
      runner = new Runner(language, service.ground);
    });
    afterAll(async () => {
      await runner.end();
      await service.close();
    });
    test.each(chosen)('$title', (scenario) => runner.run(scenario));
  });
}
