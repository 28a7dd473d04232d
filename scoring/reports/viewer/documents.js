// The documents of the page: the list as JSON, each document deflated until it is shown.

const INDEX = JSON.parse(byId("documents").textContent);
const KEPT = 8;
const unpacked = new Map();

async function inflated(name) {
  const letters = atob(byId(name).textContent);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function unpackedDocument(number) {
  return unpacked.get(number) ?? inflated(`document-${number}`);
}

async function documentNumber(number) {
  if (!unpacked.has(number)) {
    unpacked.set(number, await inflated(`document-${number}`));
    if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  }
  return unpacked.get(number);
}
