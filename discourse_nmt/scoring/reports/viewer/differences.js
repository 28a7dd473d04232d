// Words of a text that are in no longest common subsequence with those of another.

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const CELLS = 4000000; // of the table of subsequences; where it would be larger, the whole middle counts as different

function words(text) {
  return Array.from(WORDS.segment(text), (piece) => piece.segment).filter((word) => word.trim() !== "");
}

// For each word of `left` whether it is in a longest common subsequence with `right`.
function common(left, right) {
  const kept = new Array(left.length).fill(false);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) kept[start++] = true;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    kept[--leftEnd] = true;
    rightEnd--;
  }
  const [rows, columns] = [leftEnd - start, rightEnd - start];
  if (rows * columns > CELLS) return kept;
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = columns - 1; column >= 0; column--) {
      const same = left[start + row] === right[start + column];
      const [below, beside] = [lengths[(row + 1) * width + column], lengths[row * width + column + 1]];
      lengths[row * width + column] = same ? lengths[(row + 1) * width + column + 1] + 1 : Math.max(below, beside);
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (left[start + row] === right[start + column]) {
      kept[start + row++] = true;
      column++;
    } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) row++;
    else column++;
  }
  return kept;
}

// `text` as text nodes, and a <mark> around each run of words that are not in all of the `others`.
function marked(text, others) {
  const parts = words(text);
  const found = others.map((other) => common(parts, words(other)));
  const kept = parts.map((_, place) => found.every((one) => one[place]));
  const runs = [];
  let place = 0;
  for (const { segment } of WORDS.segment(text)) {
    const blank = segment.trim() === "";
    const same = blank ? null : kept[place++];
    const last = runs.at(-1);
    if (blank && last) last.after += segment;
    else if (last && same === last.same) {
      last.text += last.after + segment;
      last.after = "";
    } else runs.push({ same, text: segment, after: "" });
  }
  return runs.flatMap((run) => [run.same === false ? element("mark", {}, run.text) : run.text, run.after]);
}
