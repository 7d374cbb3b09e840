// Apart from the others: the first view shows no board.

export const PICKER_TEXTS = {
  ranking: 'Ranking',
  own: 'Main ranking',
  period: 'Period',
  current: 'current period',
  group: 'Group',
};

export const TAKEN_TEXTS = { embed: 'Embed on a website', overlay: 'Overlay for streams' };
