"use strict";

/** Favourites and tags of cases. They live in the address only: who gets the link gets them. */
convergebench.marks = (() => {
  const { h, place, address } = convergebench;
  const FAVOURITE = "";
  const BETWEEN = "~";

  /** [tag, case] of each; a favourite has an empty tag. */
  const all = () => place().chosen.getAll("mark").map((text) => [text.slice(0, text.indexOf(BETWEEN)), text.slice(text.indexOf(BETWEEN) + 1)]);
  const tagsOf = (id) => all().filter(([, marked]) => marked === id).map(([tag]) => tag);
  const tags = () => [...new Set(all().map(([tag]) => tag))].sort();
  const has = (id, tag) => tagsOf(id).includes(tag);

  function toggle(id, tag) {
    const { view, chosen } = place();
    const kept = all().filter(([one, marked]) => one !== tag || marked !== id);
    const mark = (has(id, tag) ? kept : [...kept, [tag, id]]).map(([one, marked]) => one + BETWEEN + marked);
    const others = Object.fromEntries([...new Set(chosen.keys())].filter((name) => name !== "mark").map((name) => [name, chosen.getAll(name)]));
    location.hash = address(view, { ...others, mark });
  }

  const star = (id) => h("button", { type: "button", class: "star", "aria-pressed": String(has(id, FAVOURITE)), title: "Favourite; kept in the address of this page", onclick: () => toggle(id, FAVOURITE) }, has(id, FAVOURITE) ? "★" : "☆", h("span", { class: "unseen" }, ` favourite: ${id}`));

  /** A star, the tags, and a field for another one. */
  function editor(id) {
    const field = h("input", { type: "search", class: "tag-field", "aria-label": "Add a tag", placeholder: "tag…", onchange: () => {
      const tag = field.value.replaceAll(BETWEEN, " ").trim();
      if (tag && !has(id, tag)) toggle(id, tag);
    } });
    return h("span", { class: "marks" }, star(id), tagsOf(id).filter((tag) => tag !== FAVOURITE).map((tag) =>
      h("button", { type: "button", class: "tag", title: "Remove this tag", onclick: () => toggle(id, tag) }, `${tag} ✕`)), field);
  }

  const title = (tag) => (tag === FAVOURITE ? "★ favourites" : tag);

  return { all, tagsOf, tags, has, star, editor, title };
})();
