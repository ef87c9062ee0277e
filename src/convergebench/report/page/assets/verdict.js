"use strict";

/** One verdict: what the judge saw, what it was asked, and what it said, word for word. */
convergebench.verdict = (() => {
  const { h, load, breakable, number, address, thumbnail, counted, ABSENT } = convergebench;

  /** The judging data with names instead of numbers; rows are fetched in pieces. */
  class Judging {
    constructor(data) {
      Object.assign(this, data);
      this.judgeOf = new Map(data.judges.map((one) => [one.fingerprint, one]));
      this.rubricOf = new Map(data.rubrics.map((one) => [one.fingerprint, one]));
    }

    static async open() { return new Judging(await load("judging")); }

    /** A row of the index as an object. */
    named(row) {
      const text = (place) => (place < 0 ? null : this.texts[place]);
      const [verdict, judge, rubric, suite, model, name, seed, round, protocol, outcome, value, other] = row;
      return {
        verdict, judge: this.judgeOf.get(text(judge)), rubric: this.rubricOf.get(text(rubric)), suite: text(suite), model: text(model),
        case: text(name), seed, round, protocol: text(protocol), outcome: text(outcome), value, other: text(other),
      };
    }

    async details(verdict) {
      const piece = await load(`verdicts/${Math.floor(verdict / this.piece)}`);
      return piece[verdict % this.piece];
    }

    /** Verdicts by number, each as [row, details]. */
    async all(numbers) {
      const wanted = new Set(numbers);
      const rows = new Map(this.rows.filter((row) => wanted.has(row[0])).map((row) => [row[0], this.named(row)]));
      return Promise.all(numbers.map(async (one) => [rows.get(one), await this.details(one)]));
    }
  }

  const outcomeText = (outcome) => (outcome === "ok" ? "ok" : outcome.replaceAll("_", " "));

  /** Where the judged picture can be looked at; null where the page has no place for it. */
  function linkTo(all, one) {
    if (one.case === null) return null;
    if (one.protocol === "one_shot") return address("edits", { suite: one.suite, case: one.case, model: one.model });
    if (one.protocol?.startsWith("refine")) return address("refine", { suite: one.suite, case: one.case });
    if (one.suite !== all.suite || all.caseNumber(one.case) < 0) return null;
    const step = one.rubric.of.startsWith("edit") ? "edit" : "";
    return address("film", { case: one.case, model: [one.model, one.other].filter(Boolean), seed: one.seed || "", round: one.round, step, mode: "side" });
  }

  function valueText(one) {
    if (one.value === null) return outcomeText(one.outcome);
    if (one.rubric.compares) return one.value === 0.5 ? "tie" : `${one.value === 1 ? "first" : "second"} is better`;
    if (one.rubric.high === 1 && one.rubric.low === 0) return one.value === 1 ? "yes" : one.value === 0 ? "no" : number(one.value, 2);
    return `${number(one.value, Number.isInteger(one.value) ? 0 : 1)} of ${one.rubric.high}`;
  }

  /** All of it in one card. */
  function card(all, one, details) {
    const link = linkTo(all, one);
    const who = [one.model, one.other].filter(Boolean).join(" and ");
    const name = one.case === null ? "a picture that is in no trajectory any more" : [breakable(one.case), one.round && one.protocol !== "one_shot" ? `, round ${one.round}` : "", one.seed ? `, seed ${one.seed}` : ""];
    return h("article", { class: "verdict" },
      h("div", { class: "verdict-pictures" }, details.pictures.map(([role, digest]) =>
        h("figure", {}, h("img", { src: thumbnail(digest), alt: "", loading: "lazy", width: 120, height: 90 }), h("figcaption", {}, role)))),
      h("div", { class: "verdict-text" },
        h("h2", {}, h("span", { class: one.value === null ? "grade warn" : "grade" }, valueText(one)), " ", who && h("b", {}, who), " ", link ? h("a", { href: link }, name) : name),
        h("p", { class: "quiet" }, [one.rubric.name, one.rubric.wording, one.judge?.name, details.repeat ? `repeat ${details.repeat + 1}` : ""].filter(Boolean).join(" · ")),
        details.scores.length > 0 && h("p", { class: "scores" }, details.scores.map(([name_, value]) => h("span", {}, `${name_} `, h("b", {}, number(value, Number.isInteger(value) ? 0 : 1))))),
        details.said && h("p", { class: "said" }, details.said),
        details.missing && h("p", { class: "warn" }, `Missing: ${details.missing}`),
        h("details", {}, h("summary", {}, `Asked and answered: ${counted(details.attempts.length, "call")}`), asked(details), details.attempts.map(attempt))));
  }

  const asked = (details) => h("dl", { class: "settings" },
    details.texts.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
    h("dt", {}, "kept as"), h("dd", {}, h("code", {}, details.key), `, run ${details.run}, ${details.at.slice(0, 16).replace("T", " ")} UTC`));

  function attempt(one, place) {
    const facts = [
      `${number(one.seconds, 1)} s`, one.served_model, one.finish_reason && `ended with ${one.finish_reason}`,
      one.tokens_read !== null && `${one.tokens_read} tokens read, ${one.tokens_written ?? ABSENT} written`,
      one.cost_usd ? `$${number(one.cost_usd, 4)}` : null,
      one.sent_sizes.length > 0 && `pictures sent at ${one.sent_sizes.map((size) => size.join(" × ")).join(", ")}`,
    ].filter(Boolean).join(" · ");
    return h("div", { class: "attempt" },
      h("p", {}, h("b", { class: one.outcome === "ok" ? "" : "warn" }, `Call ${place + 1}: ${outcomeText(one.outcome)}`), one.detail && ` (${one.detail})`, " ", h("span", { class: "quiet" }, facts)),
      one.reply === null ? h("p", { class: "quiet" }, "There was no reply.") : h("pre", { tabindex: "0", "aria-label": "The raw reply" }, one.reply));
  }

  return { Judging, card, outcomeText, valueText };
})();
