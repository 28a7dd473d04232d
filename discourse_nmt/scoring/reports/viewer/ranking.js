// Documents by the difference between two systems: BLEU of the document, and contrastive items won and lost.

const ORDERS = {
  difference: ["largest difference in BLEU", (row) => -Math.abs(row.difference ?? 0)],
  gain: ["largest gain of the second system", (row) => -(row.difference ?? -Infinity)],
  loss: ["largest loss of the second system", (row) => row.difference ?? Infinity],
  won: ["most items won by the second system", (row) => row.lost - row.won],
  lost: ["most items lost by the second system", (row) => row.won - row.lost],
  given: ["as in the test set", (row) => row.number],
};
const PAGE = 10; // documents that are listed at a time

// A row for each document that both systems have translated, in an order.
function ranked(standings, first, second, order) {
  const [left, right] = [standings.systems.indexOf(first), standings.systems.indexOf(second)];
  const rows = [];
  standings.documents.forEach(([bleu, items], number) => {
    const scores = [bleu[left] ?? null, bleu[right] ?? null];
    if (scores.includes(null)) return;
    const verdicts = [items[left] ?? "", items[right] ?? ""];
    const count = (own, other) => Array.from(own).filter((verdict, place) => verdict === "1" && other[place] === "0").length;
    const difference = scores[1] - scores[0];
    rows.push({ number, scores, difference, won: count(verdicts[1], verdicts[0]), lost: count(verdicts[0], verdicts[1]) });
  });
  const key = ORDERS[order][1];
  return rows.sort((one, other) => key(one) - key(other) || one.number - other.number);
}

function signed(value) {
  return `${value < 0 ? "−" : value > 0 ? "+" : ""}${Math.abs(value).toFixed(1)}`;
}

function showRanking(container, rows, shown, first, second) {
  const items = rows.some((row) => row.won || row.lost);
  const columns = ["document", "sentences", first, second, "difference", ...(items ? ["items won", "items lost"] : [])];
  const cells = rows.slice(0, shown).map(({ number, scores, difference, won, lost }) => [
    [linkTo(number, null, INDEX.documents[number].name)],
    [`${INDEX.documents[number].sentences}`],
    ...scores.map((score) => [score.toFixed(1)]),
    [signed(difference)],
    ...(items ? [[`${won}`], [`${lost}`]] : []),
  ]);
  container.replaceChildren(table("Documents by difference", columns, cells));
}
