import * as nodeModule from 'node:module';

// Imported before anything else by main.ts. graphql checks every value it is handed twice unless NODE_ENV says production.
process.env.NODE_ENV ??= 'production';

// Node 22 and later keep compiled modules on disk, which takes most of the time from a second start.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();
