import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { KeyValueStorage } from './options.js';

const storages = new Map<string, KeyValueStorage>();

/**
 * Keeps each text as a file of a folder, durable before `setItem` resolves: written to a temporary name, then renamed. One process uses
 * a folder at a time.
 */
export function fileStorage(folder: string): KeyValueStorage {
  const root = path.resolve(folder);
  const storage = storages.get(root) ?? filesIn(root);
  storages.set(root, storage);
  return storage;
}

function filesIn(root: string): KeyValueStorage {
  const fileOf = (name: string) => path.join(root, encodeURIComponent(name));
  return {
    getItem: (name) =>
      readFile(fileOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      }),
    setItem: async (name, value) => {
      await mkdir(root, { recursive: true });
      const beside = `${fileOf(name)}.new`;
      const file = await open(beside, 'w');
      try {
        await file.writeFile(value);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(beside, fileOf(name));
    },
    removeItem: (name) => rm(fileOf(name), { force: true }),
  };
}
