import { stories } from '../support/stories.js';

stories(
  'flows/live-properties',
  'flows/removal-properties',
  'flows/review-properties',
  'units/rules-properties',
);
