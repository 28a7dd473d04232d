// The source text of a document, cut where annotation begins or ends, so that spans of all kinds may overlap.

const CHAIN_COLOURS = [
  "#0072b2", "#d55e00", "#00916a", "#b8659a", "#a87800", "#7a6bd1", "#2f8fc0", "#c0413c", "#6b8e23", "#8c6d5a",
  "#008a99",
];
const LISTED = 20; // links of a word that are told in words; all are marked

// The spans of each sentence: units, themes, mentions, and words where they have links.
function spansOf(content, analysis) {
  const spans = content.source.map(() => []);
  const add = (sentence, start, end, kind, value) => spans[sentence]?.push({ start, end, kind, value });
  (analysis.edus ?? []).forEach(([sentence, start, end], number) => add(sentence, start, end, "edu", number + 1));
  (analysis.themes ?? []).forEach(([sentence, start, end, label]) => add(sentence, start, end, "theme", label));
  (analysis.chains ?? []).forEach((mentions, chain) =>
    mentions.forEach(([sentence, start, end]) => add(sentence, start, end, "mention", chain)),
  );
  let word = 0;
  if (analysis.edges) {
    content.words.forEach((sentence, number) => {
      for (const [start, end] of sentence) add(number, start, end, "word", word++);
    });
  }
  return spans;
}

function sentenceElement(text, spans) {
  const letters = Array.from(text); // offsets count code points
  const cuts = new Set([0, letters.length]);
  for (const span of spans) cuts.add(span.start).add(Math.min(span.end, letters.length));
  const places = Array.from(cuts).sort((left, right) => left - right);
  const line = element("li", { dir: "auto" });
  places.slice(0, -1).forEach((start, place) => {
    const end = places[place + 1];
    const starting = (kind) => spans.filter((span) => span.start === start && span.kind === kind);
    for (const unit of starting("edu")) line.append(element("span", { class: "edu" }, `${unit.value}`));
    for (const mention of starting("mention").sort((left, right) => right.end - left.end)) {
      line.append(coloured(element("sup", { class: "chain-number" }, `${mention.value + 1}`), mention.value));
    }
    const covering = spans.filter((span) => span.start <= start && span.end >= end && span.kind !== "edu");
    line.append(piece(letters.slice(start, end).join(""), covering));
  });
  return line;
}

function piece(text, covering) {
  if (!covering.length) return text;
  const made = element("span", {}, text);
  const told = [];
  for (const { kind, value } of covering.sort((left, right) => right.end - right.start - left.end + left.start)) {
    made.classList.add(kind);
    if (kind === "theme") {
      if (/^[a-z-]+$/.test(value)) made.classList.add(value);
      told.push(value);
    } else if (kind === "mention") {
      made.dataset.chains = `${made.dataset.chains ?? ""} ${value} `;
      coloured(made, value); // the innermost mention comes last
      told.push(`chain ${value + 1}`);
    } else made.dataset.word = value;
  }
  if (told.length) made.title = told.join(", ");
  return made;
}

function coloured(made, chain) {
  made.style.setProperty("--chain", CHAIN_COLOURS[chain % CHAIN_COLOURS.length]);
  return made;
}

// For each word the words it is linked with, as [relation, word, outgoing].
function linksOf(content, analysis) {
  const first = [];
  content.words.reduce((before, sentence, number) => ((first[number] = before), before + sentence.length), 0);
  const links = new Map();
  const add = (word, link) => (links.get(word) ?? links.set(word, []).get(word)).push(link);
  for (const [relation, fromSentence, fromToken, toSentence, toToken] of analysis.edges ?? []) {
    const [from, to] = [first[fromSentence] + fromToken, first[toSentence] + toToken];
    add(from, [INDEX.relations[relation], to, true]);
    add(to, [INDEX.relations[relation], from, false]);
  }
  return links;
}

class SourceText {
  constructor(container, told) {
    [this.container, this.told, this.showLinks] = [container, told, true];
    container.addEventListener("pointerover", (event) => this.light(event.target.closest?.("[data-word], .mention")));
    container.addEventListener("pointerleave", () => this.light(null));
    container.addEventListener("keydown", (event) => this.move(event));
    container.addEventListener("blur", () => this.light(null));
  }

  show(content, analysis) {
    const spans = spansOf(content, analysis);
    this.links = linksOf(content, analysis);
    const lines = content.source.map((text, sentence) => sentenceElement(text, spans[sentence]));
    this.container.replaceChildren(element("ol", {}, ...lines));
    this.stops = Array.from(this.container.querySelectorAll(analysis.edges ? "[data-word]" : ".mention, .theme"));
    this.light(null);
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !this.stops.length) return;
    event.preventDefault();
    const place = this.stops.findIndex((stop) => stop.classList.contains("current"));
    const next = this.stops[place < 0 ? 0 : Math.min(Math.max(place + step, 0), this.stops.length - 1)];
    this.light(next);
    next.classList.add("current");
    next.scrollIntoView({ block: "nearest" });
  }

  // Mark what a word is linked with and the chains it is in, and tell it in words.
  light(at) {
    for (const name of ["lit", "linked", "current"]) {
      for (const one of this.container.querySelectorAll(`.${name}`)) one.classList.remove(name);
    }
    this.told.textContent = "";
    if (!at) return;
    const told = at.title ? [at.title] : [];
    for (const chain of at.dataset.chains?.split(" ").filter(Boolean) ?? []) {
      for (const mention of this.container.querySelectorAll(`[data-chains~="${chain}"]`)) mention.classList.add("lit");
    }
    const links = (this.showLinks && this.links.get(Number(at.dataset.word))) || [];
    links.forEach(([relation, word, outgoing], number) => {
      const pieces = Array.from(this.container.querySelectorAll(`[data-word="${word}"]`));
      for (const one of pieces) one.classList.add("linked");
      const other = pieces.map((one) => one.textContent).join("");
      if (number < LISTED) told.push(`${relation} ${outgoing ? "→" : "←"} ${other}`);
    });
    if (links.length > LISTED) told.push(`${links.length - LISTED} more`);
    if (told.length) this.told.textContent = `${at.textContent}: ${told.join("; ")}`;
  }
}
