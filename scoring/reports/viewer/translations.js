// The reference and two systems side by side, and the contrastive items with what these systems score them.

const NONE = "–";

// `base` is "reference" or "other": what the words of a system are compared with. In the reference the words are marked
// that one of the systems has not. A test set without references has no such column.
function showTranslations(container, content, systems, base) {
  const referenced = content.reference.some((text) => text !== null);
  const rows = content.source.map((_, number) => {
    const reference = content.reference[number];
    const texts = systems.map((name) => content.systems[name][number]);
    const given = (place) => texts.filter((text, at) => at !== place && text !== null);
    const others = (place) => (base === "reference" && referenced ? [reference] : given(place));
    const cells = texts.map((text, place) => (text === null ? [NONE] : marked(text, others(place))));
    const compared = base === "reference" ? given(-1) : [];
    return [[`${number}`], ...(referenced ? [marked(reference, compared)] : []), ...cells];
  });
  const columns = ["no.", ...(referenced ? ["reference"] : []), ...systems];
  container.replaceChildren(table("Translations", columns, rows));
}

function showItems(container, content, systems) {
  const rows = content.items.map((item) => {
    const right = content.reference[item.sentence] ?? NONE;
    const decided = item.distance === null ? "" : item.distance ? `, ${item.distance} back` : ", same sentence";
    const texts = [[item.phenomenon + decided], marked(right, [item.wrong]), marked(item.wrong, [right])];
    return [[`${item.sentence}`], ...texts, ...systems.map((name) => judged(item.scores[name]))];
  });
  container.replaceChildren();
  if (!rows.length) return;
  const scores = systems.map((name) => `${name}: log-probability of right, wrong (nats)`);
  const items = table("Contrastive items", ["no.", "tests", "right", "wrong", ...scores], rows);
  container.append(element("h3", {}, "Contrastive items"), element("div", { class: "cards" }, items));
}

function judged(scores) {
  if (!scores) return [NONE];
  const [right, wrong] = scores;
  const verdict = right > wrong ? "✓ right" : right < wrong ? "✗ wrong" : "= tie";
  return [`${right.toFixed(2)}, ${wrong.toFixed(2)} `, element("span", { class: "verdict" }, verdict)];
}
