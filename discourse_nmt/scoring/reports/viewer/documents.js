// The documents of the page: the list as JSON, their contents deflated in blocks until they are shown.

const INDEX = JSON.parse(byId("documents").textContent);
const KEPT = 4; // blocks that stay unpacked
const unpacked = new Map();

// The element `name` once the browser has read all of it: the script runs before the end of the file.
async function complete(name) {
  while (document.readyState === "loading" && !byId(name)?.nextSibling) await new Promise((next) => setTimeout(next, 5));
  return byId(name);
}

async function inflated(name) {
  const letters = atob((await complete(name)).textContent);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function documentNumber(number) {
  const block = Math.floor(number / INDEX.block);
  if (!unpacked.has(block)) {
    unpacked.set(block, inflated(`block-${block}`));
    if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  }
  return (await unpacked.get(block))[number % INDEX.block];
}
