import * as nodeModule from 'node:module';

// Imported before anything else by main.ts. graphql checks every value passed to it twice unless NODE_ENV is
// production.
process.env.NODE_ENV ??= 'production';

// Node 22 and later cache compiled modules on disk, which removes most of the time of a second start.
(nodeModule as { enableCompileCache?: () => void }).enableCompileCache?.();
