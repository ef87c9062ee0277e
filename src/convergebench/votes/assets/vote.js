"use strict";

/** The voting page: what the study says first, one question after another, and the end. */
(() => {
  const { h, buttons, load, ballots } = convergebench;
  const { Camera, Stage, Amounts, ZOOMS, MODES } = convergebench.stage;
  const SHOWN_MODES = ["side", "slider", "flicker", "single"];
  const FLICKER_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2000 : 700;
  const PAIR = [["first", "A"], ["second", "B"], ["tie", "Tie"], ["both_bad", "Both bad"]];
  const VISIBLE = [["yes", "Yes"], ["no", "No"]];
  const RATER = "convergebench/rater";
  const content = document.getElementById("content");
  let open = null;
  let mode = "side";

  /** Pictures of one question in the viewer: all share one zoom. */
  class Comparison {
    constructor(question) {
      this.question = question;
      const size = { width: question.width, height: question.height };
      const picture = (role) => ({ ...size, digest: role, file: question.files[role] });
      this.source = picture("source");
      this.camera = new Camera();
      this.amounts = new Amounts((amount) => this.slide(amount));
      const stage = () => new Stage(this.camera, (amount) => this.slide(amount));
      this.beside = stage();
      this.panes = question.pictures.slice(1).map(([role]) => ({ made: picture(role), letter: { first: "A", second: "B", result: "After" }[role], stage: stage() }));
      const frame = (letter, one, name) => h("figure", { class: `choice ${name}` }, h("figcaption", {}, letter), one.node);
      this.toolbar = h("div", { class: "controls" });
      this.node = h("div", { class: "choices", "data-count": this.panes.length },
        frame("Source", this.beside, "source"), this.panes.map(({ letter, stage: one }) => frame(letter, one, "")));
    }

    update() {
      clearInterval(this.flicker);
      this.node.classList.remove("swapped");
      if (mode === "flicker") this.flicker = setInterval(() => this.node.classList.toggle("swapped"), FLICKER_MS);
      this.node.dataset.mode = mode;
      const focused = this.toolbar.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const modes = SHOWN_MODES.map((key) => MODES.find(([known]) => known === key)).map(([key, text, hint]) => [key, key === "single" ? "Hold" : text, hint]);
      this.toolbar.replaceChildren(...[
        buttons("Compare by", modes, mode, (chosen) => { mode = chosen; this.update(); }),
        buttons("Zoom", ZOOMS.map((zoom) => [zoom, zoom === "fit" ? "Fit" : `${zoom}×`]), this.camera.zoom, (zoom) => { this.camera.change({ zoom }); this.update(); }),
        this.amounts.field(mode),
      ].filter(Boolean));
      if (focused) this.toolbar.querySelector(`[data-key="${focused}"]`)?.focus();
      this.show();
    }

    show() {
      this.beside.show(this.source, null, "source", 50, { text: "The source" });
      const sides = (letter) => (mode === "slider" ? { left: "Source", right: letter } : {});
      for (const { made, letter, stage } of this.panes) stage.show(this.source, made, mode === "side" ? "single" : mode, this.amounts.of(mode), { text: `Picture ${letter}`, ...sides(letter) });
    }

    slide(amount) {
      this.amounts.set(mode, amount);
      this.show();
    }

    /** When every picture can be seen. */
    loaded() {
      const images = [this.beside.source, ...this.panes.map(({ stage }) => stage.result)];
      return Promise.all(images.map((image) => image.decode().catch(() => null)));
    }

    zoom(by) {
      this.camera.step(by);
      this.update();
    }

    close() {
      clearInterval(this.flicker);
    }
  }

  /** One rater's session. */
  class Session {
    constructor(study, rater, ballot) {
      Object.assign(this, { study, rater });
      this.waiting = h("p", { class: "warn waiting", role: "status" });
      this.source = ballot ? ballots.folder(study, rater, ballot) : ballots.server(study, rater, (text) => { this.waiting.textContent = text; });
      this.busy = true;
    }

    async go(action, vote) {
      this.busy = true;
      for (const button of content.querySelectorAll(".answers button")) button.disabled = true;
      try {
        await this.draw(await this.source[action](vote));
      } catch (error) {
        content.replaceChildren(h("p", { class: "notice", role: "alert" }, `Cannot go on: ${error.message}.`));
      }
    }

    async draw(state) {
      this.comparison?.close();
      this.state = state;
      this.question = state.question;
      if (!state.question) { content.replaceChildren(...this.end()); return; }
      const { question } = state;
      this.comparison = new Comparison(question);
      content.replaceChildren(h("div", { class: "ballot", "data-done": state.done },
        this.progress(),
        h("h1", {}, question.asks),
        question.instruction && h("p", { class: "instruction" }, question.kind === "edit" ? "Asked for: " : "Edited, then undone: ", h("q", {}, question.instruction)),
        h("details", {}, h("summary", {}, "What to look for"), h("p", { class: "said" }, question.look_for)),
        this.comparison.toolbar, this.comparison.node, this.answers(question), this.waiting));
      this.comparison.update();
      window.scrollTo(0, 0);
      await this.comparison.loaded();
      this.since = performance.now();
      this.busy = false;
      for (const button of content.querySelectorAll(".answers button")) button.disabled = button.dataset.needs === "votes" && state.done === 0;
      content.querySelector(".ballot").dataset.ready = "true";
    }

    progress() {
      return h("div", { class: "progress" },
        h("progress", { max: this.state.total, value: this.state.done, "aria-label": "Answered" }),
        h("span", {}, `${this.state.done} of ${this.state.total}`),
        h("span", { class: "quiet rater" }, this.rater),
        this.source.file && h("button", { type: "button", onclick: () => this.save() }, "Save votes"));
    }

    answers({ kind }) {
      const offered = kind === "visibility" ? VISIBLE : PAIR;
      return h("div", { class: "answers", role: "group", "aria-label": "Your answer" },
        offered.map(([answer, text], at) => h("button", { type: "button", class: "answer", disabled: true, "data-answer": answer, onclick: () => this.answer(answer) }, h("kbd", {}, String(at + 1)), text)),
        h("span", { class: "aside" },
          h("button", { type: "button", disabled: true, "data-answer": "skip", onclick: () => this.answer("skip") }, h("kbd", {}, "s"), "Skip"),
          h("button", { type: "button", disabled: true, "data-needs": "votes", "data-answer": "undo", onclick: () => this.undo() }, h("kbd", {}, "u"), "Undo")));
    }

    answer(answer) {
      if (this.busy) return;
      const { kind, pictures, texts, repeat, format } = this.question;
      const seconds = Math.round(performance.now() - this.since) / 1000;
      this.go("answer", { convergebench_vote: format, rater: this.rater, kind, answer, pictures, texts, repeat, seconds, mode });
    }

    undo() {
      if (this.busy || this.state.done === 0) return;
      this.go("undo");
    }

    end() {
      const rest = this.state.done < this.state.total ? "There are no more questions." : "You have answered all questions.";
      return [h("div", { class: "ballot ended", "data-done": this.state.done }, h("h1", {}, "Thank you"), h("p", { class: "lead" }, `${rest} ${convergebench.counted(this.state.done, "vote")} of ${this.rater}.`),
        this.source.file ? [h("p", {}, "Your votes are in this browser only. Save them as a file and send it to whoever gave you this folder."), h("p", {}, h("button", { type: "button", class: "primary", onclick: () => this.save() }, "Save votes"))]
          : h("p", { class: "quiet" }, "Every vote is saved. You may close this page."),
        h("p", {}, h("button", { type: "button", onclick: () => { this.busy = false; this.undo(); } }, "Undo the last vote")))];
    }

    save() {
      const { name, text } = this.source.file();
      const address = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    }

    key(event) {
      if (event.repeat && event.key !== " ") return event.key.length === 1;
      const offered = this.question?.kind === "visibility" ? VISIBLE : PAIR;
      const actions = {
        s: () => this.answer("skip"), u: () => this.undo(), Backspace: () => this.undo(),
        "+": () => this.comparison.zoom(1), "=": () => this.comparison.zoom(1), "-": () => this.comparison.zoom(-1),
        0: () => { this.comparison.camera.change({ zoom: "fit" }); this.comparison.update(); },
        m: () => { mode = SHOWN_MODES[(SHOWN_MODES.indexOf(mode) + 1) % SHOWN_MODES.length]; this.comparison.update(); },
        " ": () => this.comparison.node.classList.add("held"),
      };
      const picked = offered[Number(event.key) - 1];
      const action = picked ? () => this.answer(picked[0]) : actions[event.key];
      if (!action || !this.question) return false;
      action();
      return true;
    }
  }

  function intro(study, ballot) {
    const known = ballots.storage()?.getItem(RATER) ?? `rater-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
    const name = h("input", { type: "text", maxlength: 32, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*", required: true, value: known, autocomplete: "off", spellcheck: "false" });
    const agreed = h("input", { type: "checkbox", required: true });
    const form = h("form", { class: "intro", onsubmit: (event) => {
      event.preventDefault();
      ballots.storage()?.setItem(RATER, name.value);
      open = new Session(study, name.value, ballot);
      open.go("start");
    } },
      h("h1", {}, "Compare pictures"),
      h("p", { class: "lead" }, "You will see a source picture and what editing programs made of it. Answer what you see; there is no right answer. Which program made a picture is not shown."),
      study.consent && h("div", { class: "consent", tabindex: "0", role: "region", "aria-label": "The study" }, study.consent.split(/\n{2,}/).map((text) => h("p", {}, text))),
      h("label", { class: "field" }, h("span", {}, "Pseudonym (letters, digits, - and _; not your name)"), name),
      study.consent && h("label", { class: "check" }, agreed, "I have read this and agree"),
      h("p", {}, h("button", { type: "submit", class: "primary" }, "Start")),
      h("p", { class: "quiet" }, "Keys: 1 to 4 answer, s skips, u takes back, m changes how pictures are compared, + and − zoom, space shows the source."));
    content.replaceChildren(form);
  }

  const typing = (element) => element.closest("input:not([type=range]), textarea, select");
  document.addEventListener("keydown", (event) => {
    if (!open || event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
    if ((event.key === " " || event.key === "Enter") && event.target.closest("button, summary, a")) return;
    if (open.key(event)) event.preventDefault();
  });
  document.addEventListener("keyup", (event) => { if (event.key === " ") open?.comparison?.node.classList.remove("held"); });

  async function begin() {
    try {
      const study = await load("study");
      intro(study, study.live ? null : await load("ballot"));
    } catch (error) {
      content.replaceChildren(h("p", { class: "notice", role: "alert" }, `Cannot show this: ${error.message}.`));
    }
  }
  begin();
})();
