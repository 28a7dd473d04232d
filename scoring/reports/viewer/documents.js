// The documents of the page: the list as JSON, each document deflated until it is shown.

const INDEX = JSON.parse(byId("documents").textContent);
const KEPT = 8;
const unpacked = new Map();

async function documentNumber(number) {
  if (!unpacked.has(number)) {
    const letters = atob(byId(`document-${number}`).textContent);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    unpacked.set(number, JSON.parse(await new Response(stream).text()));
    if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  }
  return unpacked.get(number);
}
