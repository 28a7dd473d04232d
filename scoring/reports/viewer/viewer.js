// The viewer: what is chosen, and what happens when something else is.

const LAYERS = {
  edus: "EDU numbers",
  themes: "themes and rhemes",
  chains: "coreference chains",
  links: "links of the word graph",
};
const chosen = { number: 0, content: null, analysis: "", first: "", second: "" };
const source = new SourceText(byId("source-text"), byId("word-links"));

async function showDocument(number) {
  chosen.number = number;
  const content = await documentNumber(number);
  if (chosen.number !== number) return; // another one was chosen in the meantime
  chosen.content = content;
  const { corpus, testSet, name, sentences } = INDEX.documents[number];
  byId("choose-document").value = `${number}`;
  const place = `${number + 1} of ${INDEX.documents.length} documents`;
  byId("viewer-status").textContent = `${name}: ${sentences} sentences, ${corpus}, ${testSet}; ${place}`;
  // Not disabled: that would take the focus away.
  byId("previous-document").setAttribute("aria-disabled", number === 0);
  byId("next-document").setAttribute("aria-disabled", number === INDEX.documents.length - 1);
  const analyses = Object.keys(content.analyses);
  fillSelect(byId("choose-analysis"), analyses, chosen.analysis);
  byId("analysis-label").hidden = !analyses.length;
  const systems = Object.keys(content.systems);
  fillSelect(byId("first-system"), systems, chosen.first);
  fillSelect(byId("second-system"), systems, chosen.second || systems[1]);
  showAnalysis();
  showSystems();
  byId("viewer").dataset.shown = `${number}`;
  performance.mark("viewer-shown");
}

function showAnalysis() {
  chosen.analysis = byId("choose-analysis").value;
  const analysis = chosen.content.analyses[chosen.analysis] ?? {};
  byId("layers").hidden = byId("legend").hidden = !chosen.analysis;
  source.show(chosen.content, analysis);
  showDrawings(byId("drawings"), analysis.drawings ?? {});
}

function showSystems() {
  [chosen.first, chosen.second] = [byId("first-system").value, byId("second-system").value];
  const systems = [...new Set([chosen.first, chosen.second])].filter(Boolean);
  showTranslations(byId("translations"), chosen.content, systems, byId("compare-with").value);
  showItems(byId("items"), chosen.content, systems);
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
}

function addLayers() {
  Object.entries(LAYERS).forEach(([name, title], place) => {
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
  for (const name of ["first-system", "second-system", "compare-with"]) {
    byId(name).addEventListener("change", showSystems);
  }
  byId("swap-systems").addEventListener("click", swap);
  byId("viewer").addEventListener("keydown", (event) => {
    const typing = event.target.closest("select, textarea") || event.ctrlKey || event.altKey || event.metaKey;
    if (!typing && Object.hasOwn(KEYS, event.key)) KEYS[event.key][1]();
  });
}

function listKeys() {
  const meanings = Object.entries(KEYS).map(([key, [meaning]]) => [key, meaning]);
  const walk = [["←", "in the source text: previous word"], ["→", "in the source text: next word"]];
  for (const [key, meaning] of [...meanings, ...walk]) {
    byId("keys").append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, meaning));
  }
}

fillDocuments();
addLayers();
listen();
listKeys();
showDocument(0);
