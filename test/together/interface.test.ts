import { stories } from '../support/stories.js';

stories(
  'contract/descriptions',
  'contract/examples',
  'contract/openapi',
  'contract/routes',
  'contract/schema',
  'units/rest-request',
  'units/rest-table',
  'units/text',
  'units/nonce',
);
