// Apart from the others: the first view has no templates.

import { every } from '../../texts.js';

export const TEMPLATE_TEXTS = {
  template: 'Template',
  every: 'Repeats',
  everyInterval: every,
  next: 'next',
  nextOpens: 'Next board opens',
  paused: 'paused',
  active: 'active',
  made: 'Boards created',
  create: 'New template',
  empty: 'No templates yet. Create a board with “Repeating” to get one.',
  patternHint: 'You can use {week}, {month}, {year}, {date} and {series}.',
  intervalHint: 'A number of minutes, hours, days or weeks, such as “2 weeks”.',
  isActive: 'Creates boards',
  isPublished: 'Publish its boards',
  future: 'Changes apply to future boards.',
  stillUtc: (zone: string) => `Its windows and names are in UTC until you save it, then in ${zone}.`,
  failed: (error: string) => `The last run failed: ${error}`,
  deleted: (name: string) => `Template ${name} deleted. Its boards stay.`,
};

export const WINDOW_TEXTS = {
  title: 'Next five boards',
  untilSaved: (name: string) => `Until you save it, in UTC: ${name}`,
};

export const START_TEXTS = {
  open: 'Start now',
  title: 'Start the series now',
  action: 'Create board',
  done: (name: string) => `${name} started. Its board is created in a moment.`,
  rhythms: [
    ['kept', 'Keep the schedule', 'The board of the current period opens now, later ones as planned.'],
    ['new', 'Start a period now', 'The board opens now for a whole period; later ones follow it.'],
  ] as ['kept' | 'new', string, string][],
};
