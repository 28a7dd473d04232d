// Addresses of documents and sentences: #CORPUS/TEST SET/DOCUMENT/SENTENCE; sentences count from 1.

const NUMBERS = new Map(INDEX.documents.map(({ corpus, testSet, name }, number) => [[corpus, testSet, name].join("\n"), number]));

function addressOf(number, sentence = null) {
  const { corpus, testSet, name } = INDEX.documents[number];
  const parts = [corpus, testSet, name, ...(sentence === null ? [] : [`${sentence}`])];
  return `#${parts.map(encodeURIComponent).join("/")}`;
}

// Document number and sentence (or null) of an address, or null for the address of another part of the page.
function placeOf(address) {
  let parts;
  try {
    parts = address.replace(/^#/, "").split("/").map(decodeURIComponent);
  } catch {
    return null; // a broken address
  }
  const number = NUMBERS.get(parts.slice(0, 3).join("\n"));
  if (number === undefined) return null;
  const sentence = Number(parts[3]);
  return { number, sentence: Number.isInteger(sentence) && sentence > 0 ? sentence : null };
}

function linkTo(number, sentence, text) {
  return element("a", { href: addressOf(number, sentence), dir: "auto" }, text);
}
