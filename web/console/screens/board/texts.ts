// Apart from the others: the first view shows no board.

export const PICKER_TEXTS = {
  ranking: 'Ranking',
  own: 'Main ranking',
  period: 'Period',
  current: 'current period',
  group: 'Group',
};
