#!/usr/bin/env node
// The command has its own package, clients/terminal. This file keeps its former path for one release.
import path from 'node:path';
import { packageRoot } from '../base/package.js';

require(path.join(packageRoot, 'clients/terminal/dist/main.js'));
