import { testsOf } from '../support/client-conformance.js';

testsOf('typescript');
