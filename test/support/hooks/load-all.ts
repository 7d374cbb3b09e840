import { SetupError } from '../../../src/base/errors.js';
import { loadHooks } from '../../../src/hooks/load.js';

/**
 * Loads each of the modules named by MODULES (JSON) from the directory FROM, and reports the result of each, as
 * JSON.
 */
async function loadAll(): Promise<void> {
  const said: string[] = [];
  for (const name of JSON.parse(process.env.MODULES!) as string[]) {
    try {
      said.push(
        Object.keys(await loadHooks(name, process.env.FROM!))
          .toSorted()
          .join(' '),
      );
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      said.push(error.message);
    }
  }
  process.stdout.write(JSON.stringify(said));
}

void loadAll();
