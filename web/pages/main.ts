import '../docs/logo.svg';
import './style.css';
import { keepClocks } from './clock.js';
import { nameCountries } from './countries.js';
import { watchCards } from './live-cards.js';
import { watchRanking } from './live-ranking.js';
import { knowOwnRank } from './own-rank.js';
import { enhanceSharing } from './share.js';

// Pages are whole without this script: it counts down, and keeps the ranking that is shown true.
keepClocks(document);
nameCountries(document);
enhanceSharing();
knowOwnRank();
const ranking = document.querySelector<HTMLElement>('#ranking[data-live]');
if (ranking) watchRanking(ranking);
const cards = document.querySelector<HTMLElement>('.landing #boards');
if (cards) watchCards(cards);
const builder = document.querySelector<HTMLFormElement>('#overlay-form');
if (builder) void import('./overlay-form.js').then(({ enhanceBuilder }) => enhanceBuilder(builder));
if (document.documentElement.classList.contains('guide'))
  void import('./guide.js').then(({ enhanceGuide }) => enhanceGuide());
