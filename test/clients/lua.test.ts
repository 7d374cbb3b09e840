import { testsOf } from '../support/client-conformance.js';

testsOf('lua');
