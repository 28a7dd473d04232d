// Source, reference and two systems side by side, and the contrastive items with what these systems score them.

const NONE = "–";

// `base` is "reference" or "other": what the words of a system are compared with. In the reference the words are marked
// that one of the systems has not. A test set without references has no such column. With `differing`, sentences that
// the systems translate alike are left out, and the sentence before stands above each source as context. `linked` makes
// the number of a sentence.
function showTranslations(container, content, systems, base, differing = false, linked = (number) => `${number}`) {
  const referenced = content.reference.some((text) => text !== null);
  const rows = content.source.flatMap((text, place) => {
    const reference = content.reference[place];
    const texts = systems.map((name) => content.systems[name][place]);
    if (differing && texts.every((one) => one === texts[0])) return [];
    const given = (own) => texts.filter((one, at) => at !== own && one !== null);
    const others = (own) => (base === "reference" && referenced ? [reference] : given(own));
    const cells = texts.map((one, own) => [
      ...additions(content, systems[own], place),
      ...(one === null ? [NONE] : omits(content, systems[own], place) ? [note("omitted")] : marked(one, others(own))),
      ...(place === content.source.length - 1 ? additions(content, systems[own], place + 1) : []),
    ]);
    const compared = base === "reference" ? given(-1) : [];
    const context = differing && place ? [element("p", { class: "context", dir: "auto" }, content.source[place - 1])] : [];
    const source = [...context, element("span", { dir: "auto" }, text)];
    return [[[linked(place + 1)], source, ...(referenced ? [marked(reference, compared)] : []), ...cells]];
  });
  const columns = ["no.", "source", ...(referenced ? ["reference"] : []), ...systems];
  container.replaceChildren(
    rows.length ? table("Translations", columns, rows) : element("p", {}, "The systems translate every sentence alike."),
  );
}

// Whether an output that was aligned with the sentences omits one, and what it adds before a sentence.
function omits(content, system, place) {
  return Boolean(content.alignments?.[system]?.omitted.includes(place));
}

function additions(content, system, place) {
  const { added = [], problem = null } = content.alignments?.[system] ?? {};
  const texts = added.filter(([before]) => before === place).map(([, text]) => ["added", ` ${text}`]);
  if (problem !== null && place === 0) texts.unshift([problem]);
  return texts.map(([kind, text = ""]) => element("p", { dir: "auto" }, note(kind), text));
}

function note(text) {
  return element("span", { class: "note" }, text);
}

function showItems(container, content, systems) {
  const rows = content.items.map((item) => {
    const right = content.reference[item.sentence] ?? NONE;
    const decided = item.distance === null ? "" : item.distance ? `, ${item.distance} back` : ", same sentence";
    const texts = [[item.phenomenon + decided], marked(right, [item.wrong]), marked(item.wrong, [right])];
    return [[`${item.sentence + 1}`], ...texts, ...systems.map((name) => judged(item.scores[name]))];
  });
  container.replaceChildren();
  if (!rows.length) return;
  const scores = systems.map((name) => `${name}: log-probability of right, wrong (nats)`);
  const items = table("Contrastive items", ["no.", "tests", "right", "wrong", ...scores], rows);
  container.append(element("h4", {}, "Contrastive items"), element("div", { class: "cards" }, items));
}

function judged(scores) {
  if (!scores) return [NONE];
  const [right, wrong] = scores;
  const verdict = right > wrong ? "✓ right" : right < wrong ? "✗ wrong" : "= tie";
  return [`${right.toFixed(2)}, ${wrong.toFixed(2)} `, element("span", { class: "verdict" }, verdict)];
}
