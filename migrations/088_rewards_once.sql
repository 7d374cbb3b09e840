-- The id of a reward is made from its closing's ranking, its line and its player: it alone makes rewards unique.
drop index rewards_once;
