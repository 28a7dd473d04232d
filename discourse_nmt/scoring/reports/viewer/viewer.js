// The viewer: what is chosen, and what happens when something else is.

const LAYERS = {
  edus: { title: "discourse units, numbers in boxes", key: "edus" },
  themes: { title: "themes and rhemes", key: "themes" },
  chains: { title: "coreference chains, raised numbers", key: "chains" },
  links: { title: "links of the word graph", key: "edges" },
};
const STANDINGS = await inflated("standings");
const chosen = { number: 0, content: null, analysis: "", first: "", second: "", rows: [], listed: PAGE, search: null };
const source = new SourceText(byId("source-text"), byId("word-links"));

async function showDocument(number, sentence = null) {
  chosen.number = number;
  const content = await documentNumber(number);
  if (chosen.number !== number) return; // another one was chosen in the meantime
  chosen.content = content;
  const { corpus, testSet, name, sentences } = INDEX.documents[number];
  byId("choose-document").value = `${number}`;
  const place = `${number + 1} of ${INDEX.documents.length} documents`;
  byId("document-title").textContent = `Document ${name}`;
  byId("viewer-status").textContent = `${sentences} sentences, ${corpus}, ${testSet}; ${place}`;
  byId("document-link").href = addressOf(number);
  // Not disabled: that would take the focus away.
  byId("previous-document").setAttribute("aria-disabled", number === 0);
  byId("next-document").setAttribute("aria-disabled", number === INDEX.documents.length - 1);
  const analyses = Object.keys(content.analyses);
  fillSelect(byId("choose-analysis"), analyses, chosen.analysis);
  byId("analysis-label").hidden = !analyses.length;
  showAnalysis();
  showTexts();
  if (sentence !== null) goTo(sentence);
  byId("viewer").dataset.shown = `${number}`;
  painted().then(() => performance.mark("viewer-shown"));
}

// Done when the browser has painted all changes so far.
function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

// Layers and their legend are offered where the analysis has them.
function showAnalysis() {
  chosen.analysis = byId("choose-analysis").value;
  const analysis = chosen.content.analyses[chosen.analysis] ?? {};
  for (const [name, { key }] of Object.entries(LAYERS)) byId(`layer-${name}`).closest("label").hidden = !(key in analysis);
  byId("layers").hidden = Object.values(LAYERS).every(({ key }) => !(key in analysis));
  byId("legend").hidden = !("themes" in analysis);
  source.show(chosen.content, analysis);
  showDrawings(byId("drawings"), analysis.drawings ?? {});
}

// The two chosen systems; of a document that lacks one, the other.
function shownSystems() {
  return [...new Set([chosen.first, chosen.second])].filter((name) => Object.hasOwn(chosen.content.systems, name));
}

function showTexts() {
  const systems = shownSystems();
  const linked = (sentence) => linkTo(chosen.number, sentence, `${sentence}`);
  const differing = byId("only-differing").checked && systems.length === 2;
  showTranslations(byId("translations"), chosen.content, systems, byId("compare-with").value, differing, linked);
  showItems(byId("items"), chosen.content, systems);
}

function showSystems() {
  [chosen.first, chosen.second] = [byId("first-system").value, byId("second-system").value];
  orderDocuments();
  if (chosen.content) showTexts();
}

function orderDocuments() {
  chosen.listed = PAGE;
  chosen.rows = ranked(STANDINGS, chosen.first, chosen.second, byId("choose-order").value);
  showOrder();
}

function showOrder() {
  byId("ranking-part").querySelector("#ranking").hidden = !chosen.rows.length;
  showRanking(byId("ranking"), chosen.rows, chosen.listed, chosen.first, chosen.second);
  byId("more-documents").hidden = chosen.listed >= chosen.rows.length;
  const against = [...new Set(Object.values(STANDINGS.against))].filter(Boolean).join(" or ");
  byId("ranking-note").textContent = chosen.rows.length
    ? `BLEU of each document against ${against}, of the first seed. Items won: ${chosen.second} alone prefers the right translation; lost: ${chosen.first} alone.`
    : "Documents are ranked where both systems have translations.";
}

// Mark a sentence (from 1) in the source and in the table of translations, and show it.
function goTo(sentence) {
  for (const marked of document.querySelectorAll(".gone-to")) marked.classList.remove("gone-to");
  const link = byId("translations").querySelector(`a[href="${CSS.escape(addressOf(chosen.number, sentence))}"]`);
  const row = link?.closest("tr");
  row?.classList.add("gone-to");
  byId("source-text").querySelectorAll("li")[sentence - 1]?.classList.add("gone-to");
  row?.scrollIntoView({ block: "center" });
}

function followAddress() {
  const place = placeOf(location.hash);
  if (!place) return;
  if (place.sentence === null) byId("document-title").scrollIntoView();
  return showDocument(place.number, place.sentence);
}

async function search() {
  const wanted = byId("search").value.trim();
  const turn = (chosen.search = {}); // a newer search stops this one
  const stopped = () => chosen.search !== turn;
  byId("found").replaceChildren();
  byId("search-status").textContent = "";
  if (!wanted) return;
  let hits = 0;
  const found = (number, sentence, text) => {
    if (stopped() || ++hits > HITS) return;
    const { name } = INDEX.documents[number];
    const place = sentence === null ? name : `${name}, ${sentence}`;
    byId("found").append(element("li", {}, linkTo(number, sentence, place), " ", ...snippet(text, wanted)));
  };
  const tell = (done) => {
    const listed = hits > HITS ? `, the first ${HITS} are listed` : "";
    byId("search-status").textContent = `${hits} found${listed}; ${done} of ${INDEX.documents.length} documents searched`;
  };
  await searchDocuments(wanted, found, (done) => stopped() || tell(done), stopped);
}

function step(distance) {
  const number = chosen.number + distance;
  if (number >= 0 && number < INDEX.documents.length) showDocument(number);
}

function chooseNext(select) {
  if (!select.options.length) return;
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event("change"));
}

function swap() {
  const [first, second] = [byId("first-system"), byId("second-system")];
  [first.value, second.value] = [second.value, first.value];
  showSystems();
}

const KEYS = {
  n: ["next document", () => step(1)],
  p: ["previous document", () => step(-1)],
  a: ["next analysis", () => chooseNext(byId("choose-analysis"))],
  s: ["swap the systems", swap],
  f: ["next first system", () => chooseNext(byId("first-system"))],
  g: ["next second system", () => chooseNext(byId("second-system"))],
  d: ["differences from the reference or from the other system", () => chooseNext(byId("compare-with"))],
};

function fillDocuments() {
  const groups = new Map();
  INDEX.documents.forEach(({ corpus, testSet, name }, number) => {
    const label = `${corpus}, ${testSet}`;
    if (!groups.has(label)) groups.set(label, element("optgroup", { label }));
    groups.get(label).append(element("option", { value: `${number}` }, name));
  });
  byId("choose-document").append(...groups.values());
  byId("choose-document").value = `${chosen.number}`;
}

function addLayers() {
  Object.entries(LAYERS).forEach(([name, { title }], place) => {
    const box = element("input", { type: "checkbox", id: `layer-${name}`, "aria-keyshortcuts": `${place + 1}` });
    box.checked = true;
    box.addEventListener("change", () => {
      byId("source-text").classList.toggle(`hide-${name}`, !box.checked);
      if (name === "links") source.showLinks = box.checked;
    });
    byId("layers").append(element("label", {}, box, title));
    KEYS[`${place + 1}`] = [`show or hide ${title}`, () => box.click()];
  });
}

function listen() {
  byId("choose-document").addEventListener("change", (event) => showDocument(Number(event.target.value)));
  byId("previous-document").addEventListener("click", () => step(-1));
  byId("next-document").addEventListener("click", () => step(1));
  byId("choose-analysis").addEventListener("change", showAnalysis);
  for (const name of ["first-system", "second-system"]) byId(name).addEventListener("change", showSystems);
  for (const name of ["compare-with", "only-differing"]) byId(name).addEventListener("change", showTexts);
  byId("choose-order").addEventListener("change", orderDocuments);
  byId("more-documents").addEventListener("click", () => {
    chosen.listed += 5 * PAGE;
    showOrder();
  });
  byId("search").addEventListener("change", search);
  byId("swap-systems").addEventListener("click", swap);
  window.addEventListener("hashchange", followAddress);
  byId("viewer").addEventListener("keydown", (event) => {
    const typing = event.target.closest("select, textarea, [type=search]") || event.ctrlKey || event.altKey || event.metaKey;
    if (!typing && Object.hasOwn(KEYS, event.key)) KEYS[event.key][1]();
  });
}

// The systems are those of the whole page, so that a choice holds for all documents.
function offerChoices() {
  fillSelect(byId("first-system"), STANDINGS.systems, "");
  fillSelect(byId("second-system"), STANDINGS.systems, STANDINGS.systems[1]);
  byId("choose-order").append(...Object.entries(ORDERS).map(([value, [title]]) => element("option", { value }, title)));
}

function listKeys() {
  const meanings = Object.entries(KEYS).map(([key, [meaning]]) => [key, meaning]);
  const walk = [["←", "in the source text: previous word"], ["→", "in the source text: next word"]];
  for (const [key, meaning] of [...meanings, ...walk]) {
    byId("keys").append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning));
  }
}

addLayers();
offerChoices();
listen();
listKeys();
showSystems();
await (followAddress() ?? showDocument(chosen.rows[0]?.number ?? 0));
await painted(); // a list of thousands takes longer than the document
fillDocuments();
