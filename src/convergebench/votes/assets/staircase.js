"use strict";

/** The rule of analysis/votes/staircase.py, for pages without a server: at which round to ask next. */
convergebench.staircase = (() => {
  const RELIABILITY = 0.9;
  const SURE = 0.9;
  const MOST_QUESTIONS = 12;

  /** answers: [[round, seen]]; null when the staircase has ended. */
  function nextRound(answers, rounds) {
    const chances = distribution(answers, rounds);
    if (answers.length >= MOST_QUESTIONS || Math.max(...chances) >= SURE) return null;
    let best = 1;
    let sum = 0;
    let nearest = Infinity;
    for (let round = 1; round <= rounds; round++) {
      sum += chances[round - 1];
      const distance = Math.round(Math.abs(sum - 0.5) * 1e9);
      if (distance < nearest) { nearest = distance; best = round; }
    }
    return best;
  }

  /** The probability of each first visible round, and of never. */
  function distribution(answers, rounds) {
    let chances = Array.from({ length: rounds + 1 }, () => 1 / (rounds + 1));
    for (const [asked, seen] of answers) {
      chances = chances.map((chance, at) => chance * ((at + 1 <= asked) === seen ? RELIABILITY : 1 - RELIABILITY));
      const sum = chances.reduce((total, one) => total + one, 0);
      chances = chances.map((chance) => chance / sum);
    }
    return chances;
  }

  return { nextRound };
})();
