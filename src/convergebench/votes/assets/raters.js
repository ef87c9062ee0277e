"use strict";

/** Where questions come from and votes go to: the study's server, or this folder and the browser's own storage. */
convergebench.ballots = (() => {
  const RETRY_MS = 1500;
  const SHORTEST_MEMORY = 5;
  const STAIRCASES_AT_ONCE = 3;
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  /** Each call gives {done, total, question}; a vote is on the server's disk when `answer` returns. */
  function server(study, rater, onwait) {
    async function post(action, data) {
      for (;;) {
        let response;
        try {
          response = await fetch(`vote/${action}`, {
            method: "POST", cache: "no-store", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ ...data, rater, consent: study.mark }),
          });
        } catch {
          onwait("The server does not answer. Your vote is kept here and sent again until it is saved.");
          await pause(RETRY_MS);
          continue;
        }
        onwait("");
        const found = await response.json().catch(() => ({ error: "the server's reply cannot be read" }));
        if (!response.ok) throw new Error(found.error ?? `status ${response.status}`);
        return found;
      }
    }
    return { start: () => post("start", {}), answer: (vote) => post("answer", vote), undo: () => post("undo", {}) };
  }

  /** The same from a folder; votes stay in the browser until they are saved as a file. */
  function folder(study, rater, ballot) {
    const place = `convergebench/${ballot.id}/${rater}`;
    let votes = JSON.parse(storage()?.getItem(place) ?? "[]");
    const keep = () => storage()?.setItem(place, JSON.stringify(votes));
    const slots = ballot.slots[hash(rater) % ballot.slots.length];
    const pairKey = (one) => `${one.kind} ${one.pictures.map(([, digest]) => digest).sort().join(" ")}`;
    const random = (list) => list[Math.floor(Math.random() * list.length)];
    const swapped = (one) => {
      const [source, first, second] = one.pictures;
      const files = { source: one.files.source, first: one.files.second, second: one.files.first };
      return { ...one, pictures: [source, ["first", second[1]], ["second", first[1]]], files };
    };
    const same = (one) => votes.filter((vote) => vote.kind === one.kind && JSON.stringify(vote.pictures) === JSON.stringify(one.pictures)).length;
    const numbered = (one) => ({ ...one, repeat: same(one) });

    function pair(kind) {
      const done = new Set(votes.map(pairKey));
      const open = ballot.pairs.find((one) => one.kind === kind && !done.has(pairKey(one)));
      return open && (Math.random() < 0.5 ? open : swapped(open));
    }

    function repeat() {
      const seen = votes.map(pairKey);
      const earlier = votes.slice(0, -SHORTEST_MEMORY).filter((vote) =>
        ["first", "second"].includes(vote.answer) && vote.pictures[1][1] !== vote.pictures[2]?.[1]
        && seen.filter((key) => key === pairKey(vote)).length === 1);
      const chosen = earlier.length > 0 && random(earlier);
      const asked = chosen && ballot.pairs.find((one) => pairKey(one) === pairKey(chosen));
      if (!asked) return null;
      return JSON.stringify(asked.pictures) === JSON.stringify(chosen.pictures) ? swapped(asked) : asked;
    }

    function visibility() {
      const mine = votes.filter((vote) => vote.kind === "visibility");
      const begun = [];
      const fresh = [];
      for (const chain of ballot.chains) {
        const rounds = new Map(chain.returns.map(([digest], at) => [digest, at + 1]));
        const given = mine.filter((vote) => vote.pictures[0][1] === chain.pictures[0][1] && rounds.has(vote.pictures[1][1]) && vote.pictures[1][1] !== vote.pictures[0][1]);
        if (given.some((vote) => vote.answer === "skip")) continue;
        const next = convergebench.staircase.nextRound(given.map((vote) => [rounds.get(vote.pictures[1][1]), vote.answer === "yes"]), chain.returns.length);
        if (given.length === 0) fresh.push([chain, next]);
        else if (next !== null) begun.push([chain, next]);
      }
      const chosen = fresh.length > 0 && begun.length < STAIRCASES_AT_ONCE ? fresh[0] : begun.length > 0 ? random(begun) : null;
      if (!chosen) return null;
      const [chain, round] = chosen;
      const [digest, file] = chain.returns[round - 1];
      const { returns, ...rest } = chain;
      return numbered({ ...rest, pictures: [chain.pictures[0], ["result", digest]], files: { ...chain.files, result: file } });
    }

    function question() {
      const slot = slots[votes.length];
      if (slot === undefined) return null;
      if (slot === "repeat") { const found = repeat(); if (found) return found; }
      if (slot === "catch") return numbered(random(ballot.catches));
      const kinds = [slot, ...ballot.kinds].filter((kind) => ballot.kinds.includes(kind));
      for (const kind of kinds) {
        const found = kind === "visibility" ? visibility() : pair(kind);
        if (found) return found;
      }
      return null;
    }

    const state = () => ({ done: votes.length, total: slots.length, question: question() });
    return {
      start: async () => state(),
      answer: async (vote) => {
        votes.push({ ...vote, rater, consent: study.mark, at: new Date().toISOString() });
        keep();
        return state();
      },
      undo: async () => {
        const last = votes.pop();
        keep();
        if (!last) return state();
        const known = [...ballot.pairs, ...ballot.pairs.map(swapped), ...ballot.catches].find((one) => one.kind === last.kind && JSON.stringify(one.pictures) === JSON.stringify(last.pictures));
        return known ? { ...state(), question: { ...known, repeat: last.repeat } } : state();
      },
      file: () => ({ name: `votes-${rater}.jsonl`, text: votes.map((vote) => `${JSON.stringify(vote)}\n`).join("") }),
    };
  }

  /** Null where the browser keeps nothing for pages from disk. */
  function storage() {
    try { return window.localStorage; } catch { return null; }
  }

  const hash = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 1000003, 7);

  return { server, folder, storage };
})();
