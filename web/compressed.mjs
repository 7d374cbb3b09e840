import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Compresses scripts and styles once here instead of at every visit, and from the files as written: names of lazy chunks
 * are put in last.
 * @param quality of Brotli; undefined: gzip alone, without the plain files, which keeps the package small
 */
export function compressed(quality) {
  return {
    name: 'compressed',
    writeBundle({ dir }, bundle) {
      for (const { fileName } of Object.values(bundle)) {
        if (!/\.(js|css)$/.test(fileName)) continue;
        const file = join(dir, fileName);
        const plain = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
        if (quality === undefined) {
          rmSync(file);
          continue;
        }
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: quality,
          [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
        };
        writeFileSync(`${file}.br`, brotliCompressSync(plain, { params }));
      }
    },
  };
}
