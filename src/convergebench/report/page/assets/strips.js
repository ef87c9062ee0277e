"use strict";

/** Pictures that stand for a model or a return: a strip of its median case, and where a return broke. */
convergebench.strips = (() => {
  const { h, address, thumbnail, cropPair } = convergebench;

  const LONGEST_REASON = 60; // letters below a picture
  const LOST = "the picture is lost";
  const IMPORTED = "These results were measured elsewhere and imported; there are no pictures of them here.";
  const absent = (text, why) => h("span", { class: "no-picture", role: "img", title: why, "aria-label": `${text}: ${why || "no picture"}` }, "✕");

  /** A picture, or a sign with the reason where there is none. */
  function image(digest, text, why) {
    if (!digest) return absent(text, why);
    const shown = h("img", { src: thumbnail(digest), loading: "lazy", decoding: "async", alt: text, width: 152, height: 114, onerror: () => shown.replaceWith(absent(text, LOST)) });
    return shown;
  }

  /** Where a return differs most, magnified: the source on the left, the return on the right. */
  function broke(crop, text) {
    if (!crop) return null;
    const shown = h("img", { class: "crop-pair", src: cropPair(crop), loading: "lazy", decoding: "async", width: 324, height: 160, alt: `${text}, where it differs most: source left, return right`, title: "Where it differs most: source | return", onerror: () => shown.remove() });
    return shown;
  }

  /** Files to take along. */
  const saved = (name, title) => name && h("span", {}, " Save it: ", ["png", "webp"].map((kind, place) => [place ? ", " : "",
    h("a", { href: `page/exports/${name}.${kind}`, download: `${title}.${kind}`.replace(/[^\w.-]+/g, "-") }, kind === "png" ? "PNG" : "animated WebP")]).flat());

  /** The sign has all of it. */
  const begun = (reason) => (reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON).trimEnd()}…` : reason);

  /** The source and rounds of one chain; each picture opens its round in the filmstrip. */
  function strip(all, one) {
    const facts = all.cases[one.case];
    const model = all.models[one.model].name;
    const to = (round, more = {}) => address("film", { case: facts.id, model, seed: one.seed || "", round, ...more });
    const last = one.shots.filter((shot) => shot.crop).at(-1);
    return h("div", { class: "median-strip" },
      h("div", { class: "shots" },
        h("a", { class: "shot", href: to(0) }, image(one.source, "The source"), "source"),
        one.shots.map((shot) => h("a", { class: "shot", href: to(shot.round) },
          image(shot.digest, `${model}, round ${shot.round}`, shot.reason), shot.digest ? `round ${shot.round}` : `round ${shot.round}: ${begun(shot.reason)}`))),
      h("div", { class: "under-strip" },
        last && h("a", { class: "shot pair", href: to(last.round, { mode: "broke" }) }, broke(last.crop, `${model}, round ${last.round}`), "source | round ", String(last.round)),
        h("p", { class: "quiet" }, last && "On the left, where it differs most. ", "Its median case: ", h("q", {}, facts.asked || facts.id), facts.asked ? `, ${facts.picture}` : "", one.seed ? `, seed ${one.seed}` : "", ".", saved(one.export, model))));
  }

  return { IMPORTED, image, broke, strip, saved };
})();
