import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { SetupError } from '../base/errors.js';
import type { Hooks } from './hooks.js';

/** All permitted exports: the compiler checks the list against the contract. */
const NAMES: Record<keyof Hooks, 'function' | 'jobs' | 'typeDefs' | 'resolvers'> = {
  setUp: 'function',
  preCreateGame: 'function',
  postCreateGame: 'function',
  preCreateBoard: 'function',
  postCreateBoard: 'function',
  preCreateBoardTemplate: 'function',
  preUpdateBoardTemplate: 'function',
  preCreateScore: 'function',
  postCreateScore: 'function',
  postCompleteRegistration: 'function',
  rateLimit: 'function',
  jobs: 'jobs',
  typeDefs: 'typeDefs',
  resolvers: 'resolvers',
};

const JOB_NAME = /^[A-Za-z][\w-]{0,62}$/;
/** Members of an imported CommonJS module's namespace besides its exports. */
const OWN_OF_LOADER = ['__esModule', 'module.exports'];

/**
 * Loads a deployment's hooks: an ES or CommonJS module, with the hooks as named exports or in one object as the
 * default.
 * @param name a path relative to `directory`, or a package that is installed there; undefined: no hooks
 * @throws SetupError, one sentence with the correction
 */
export async function loadHooks(name: string | undefined, directory: string = process.cwd()): Promise<Hooks> {
  if (name === undefined) return {};
  const address = moduleAddress(name, directory);
  let namespace: Record<string, unknown>;
  try {
    namespace = await import(address);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SetupError(
      `HOOKS_MODULE ${name} failed to load (${why.split('\n')[0]}). Fix the module, or unset HOOKS_MODULE.`,
    );
  }
  return checked(name, exportsOf(name, namespace));
}

function moduleAddress(name: string, directory: string): string {
  const file = path.resolve(directory, name);
  if (/^\.{0,2}[\\/]/.test(name) || path.isAbsolute(name) || existsSync(file)) {
    if (!existsSync(file)) {
      throw new SetupError(
        `HOOKS_MODULE is ${name}, but the file ${file} does not exist. Correct the path, or unset it.`,
      );
    }
    return pathToFileURL(file).href;
  }
  try {
    return pathToFileURL(createRequire(path.join(directory, 'here')).resolve(name)).href;
  } catch {
    // A package that supports `import` only.
    return name;
  }
}

function isModuleObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function exportsOf(name: string, namespace: Record<string, unknown>): Record<string, unknown> {
  let given = namespace;
  // Nested twice if a compiler wrote a default export for CommonJS.
  while (isModuleObject(given.default)) {
    const outer = given;
    given = given.default;
    const others = Object.keys(outer).filter((key) => key !== 'default' && !OWN_OF_LOADER.includes(key));
    const apart = others.find((key) => outer[key] !== given[key]);
    if (apart !== undefined) {
      throw new SetupError(
        `HOOKS_MODULE ${name} exports ${apart} as well as a default. Export the hooks either by name or in one default object.`,
      );
    }
  }
  return given;
}

function checked(name: string, given: Record<string, unknown>): Hooks {
  const problems: string[] = [];
  const keys = Object.keys(given).filter((key) => !OWN_OF_LOADER.includes(key));
  if (keys.length === 0) {
    problems.push(
      `HOOKS_MODULE ${name} exports no hooks. Export one or more of ${listed()}, or unset HOOKS_MODULE.`,
    );
  }
  for (const key of keys) {
    const kind = Object.hasOwn(NAMES, key) ? NAMES[key as keyof Hooks] : undefined;
    if (!kind) {
      problems.push(`HOOKS_MODULE ${name} exports ${key}, which is not a hook. Valid hooks: ${listed()}.`);
    } else if (kind === 'function' && typeof given[key] !== 'function') {
      problems.push(`HOOKS_MODULE ${name} exports ${key}, which must be a function.`);
    } else if (kind === 'jobs') problems.push(...faultsOfJobs(name, given.jobs));
  }
  problems.push(...faultsOfExtension(given).map((fault) => `HOOKS_MODULE ${name} exports ${fault}`));
  if (problems.length > 0) throw new SetupError(problems.join('\n'));
  return Object.fromEntries(keys.map((key) => [key, given[key]])) as Hooks;
}

function faultsOfJobs(name: string, jobs: unknown): string[] {
  if (!isModuleObject(jobs) || Array.isArray(jobs)) {
    return [`HOOKS_MODULE ${name} exports jobs, which must be an object of functions.`];
  }
  return Object.entries(jobs).flatMap(([job, run]) => {
    if (!JOB_NAME.test(job)) {
      return [
        `HOOKS_MODULE ${name} has a job "${job}". A job name must be a letter followed by up to 62 letters, digits, _ or -.`,
      ];
    }
    return typeof run === 'function' ? [] : [`HOOKS_MODULE ${name} has a job ${job} that is not a function.`];
  });
}

/** The schema itself checks what they say (extension/definitions.ts). */
function faultsOfExtension({ typeDefs, resolvers }: Record<string, unknown>): string[] {
  const faults: string[] = [];
  const texts = typeDefs === undefined ? [] : [typeDefs].flat();
  if (texts.some((text) => typeof text !== 'string')) {
    faults.push('typeDefs, which must be a string of GraphQL definitions or a list of them.');
  }
  const isMap = isModuleObject(resolvers) && !Array.isArray(resolvers);
  if (resolvers !== undefined && !(isMap && Object.values(resolvers).every(isModuleObject))) {
    faults.push('resolvers, which must be an object of types, each with an object of fields.');
  }
  if (resolvers !== undefined && typeDefs === undefined) {
    faults.push('resolvers without typeDefs. Export the definitions of their fields too.');
  }
  return faults;
}

function listed(): string {
  return Object.keys(NAMES).join(', ');
}
