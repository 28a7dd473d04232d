// Search in names of documents, sources, references and translations.

const HITS = 50; // sentences that are listed

// Calls `found(number, sentence, text)` for each sentence with the text, and for each name of a document (without a
// sentence); `progress(done)` after each document. Ends early when `stopped()`.
async function searchDocuments(wanted, found, progress, stopped) {
  const folded = wanted.toLocaleLowerCase();
  const has = (text) => text !== null && text.toLocaleLowerCase().includes(folded);
  for (let number = 0; number < INDEX.documents.length && !stopped(); number++) {
    if (has(INDEX.documents[number].name)) found(number, null, "");
    const content = await documentNumber(number);
    const columns = [content.source, content.reference, ...Object.values(content.systems)];
    content.source.forEach((_, sentence) => {
      const hit = columns.find((texts) => has(texts[sentence]));
      if (hit) found(number, sentence + 1, hit[sentence]);
    });
    progress(number + 1);
  }
}

// The found place in its sentence, marked.
function snippet(text, wanted) {
  const at = text.toLocaleLowerCase().indexOf(wanted.toLocaleLowerCase());
  if (at < 0) return [text];
  return [text.slice(0, at), element("mark", {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
}
