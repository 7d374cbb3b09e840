import { LANGUAGES } from '../../clients/conformance/languages.js';
import { Runner } from '../../clients/conformance/run.js';
import { scenarios } from '../../clients/conformance/scenario.js';
import { clientGround } from '../support/client-ground.js';

let service: Awaited<ReturnType<typeof clientGround>>;
beforeAll(async () => {
  service = await clientGround();
});
afterAll(() => service.close());

describe.each([LANGUAGES.typescript])('$name', (language) => {
  let runner: Runner;
  beforeAll(() => {
    runner = new Runner(language, service.ground);
  });
  afterAll(() => runner.end());
  test.each(scenarios())('$name: $title', (scenario) => runner.run(scenario));
});
