import { stories } from '../support/stories.js';

stories(
  'units/config',
  'units/explorer',
  'units/terminal',
  'units/places',
  'units/schedule',
  'units/short-memory',
  'units/channel',
  'units/empty-plans',
  'units/explanation',
  'units/joined',
  'units/changes',
  'units/admission',
  'units/pool-sizes',
  'units/address',
  'units/keyset',
  'contract/hooks',
  'contract/imports',
  'contract/package',
  'contract/readme',
  'contract/openapi-lint',
);
