import { stories } from '../support/stories.js';

stories(
  'flows/templates',
  'flows/board-life',
  'flows/removals',
  'flows/removal-work',
  'flows/states',
  'flows/ratio-boards',
);
