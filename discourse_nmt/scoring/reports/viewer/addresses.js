// Addresses of documents and sentences: #TEST SET/DOCUMENT/SENTENCE, with CORPUS/ in front where the report has several
// corpora; sentences count from 1.

const SEVERAL = INDEX.documents.some(({ corpus }) => corpus !== INDEX.documents[0].corpus);
const keyOf = (parts) => parts.join("\n");
const NUMBERS = new Map();
INDEX.documents.forEach(({ corpus, testSet, name }, number) => {
  NUMBERS.set(keyOf([corpus, testSet, name]), number);
  if (!SEVERAL) NUMBERS.set(keyOf([testSet, name]), number);
});

function addressOf(number, sentence = null) {
  const { corpus, testSet, name } = INDEX.documents[number];
  const parts = [...(SEVERAL ? [corpus] : []), testSet, name, ...(sentence === null ? [] : [`${sentence}`])];
  return `#${parts.map(encodeURIComponent).join("/")}`;
}

// Document number and sentence (or null) of an address, or null for the address of another part of the page. The
// corpus may stand in front in any report.
function placeOf(address) {
  let parts;
  try {
    parts = address.replace(/^#/, "").split("/").map(decodeURIComponent);
  } catch {
    return null; // a broken address
  }
  const length = [3, 2].find((names) => NUMBERS.has(keyOf(parts.slice(0, names))));
  if (length === undefined) return null;
  const sentence = Number(parts[length]);
  return {
    number: NUMBERS.get(keyOf(parts.slice(0, length))),
    sentence: Number.isInteger(sentence) && sentence > 0 ? sentence : null,
  };
}

function linkTo(number, sentence, text) {
  return element("a", { href: addressOf(number, sentence), dir: "auto" }, text);
}
