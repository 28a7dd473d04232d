// The page: sends the text, and shows what comes back with the parts of the report's viewer.

const LAYERS = { edus: "numbers of discourse units", themes: "themes and rhemes", chains: "coreference chains" };
const NONE = "–";
const EVERY = "all other models";
const source = new SourceText(byId("source-text"), byId("word-links"));
let shown = null;
let file = { name: "", text: "", shown: "" };

// The text of a file as it is, with the line ends that a text area would change; it is sent while the area is untouched.
async function readFile() {
  const chosen = byId("file").files[0];
  if (!chosen) return;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
    byId("text").value = text;
    file = { name: chosen.name, text, shown: byId("text").value };
    tell("");
  } catch {
    tell(`${chosen.name} is not UTF-8 text.`, true);
  }
}

// A file may be dropped anywhere on the form; dragged text goes into the text area as it does everywhere.
function dragged(event) {
  const holdsFiles = event.dataTransfer.types.includes("Files");
  byId("form").classList.toggle("dropping", holdsFiles && event.type === "dragover");
  if (!holdsFiles) return;
  event.preventDefault();
  if (event.type !== "drop") return;
  byId("file").files = event.dataTransfer.files;
  readFile();
}

function tell(text, fault = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("fault", fault);
}

async function send(event) {
  event.preventDefault();
  byId("translate").disabled = true;
  tell("Translating …");
  const started = performance.now();
  try {
    const untouched = file.name && file.shown === byId("text").value;
    const name = untouched ? file.name : "";
    const body = JSON.stringify(untouched ? { text: file.text, name } : { text: byId("text").value });
    const response = await fetch("translate", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const content = await response.json();
    if (!response.ok) throw new Error(content.error);
    show(content, name);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const count = content.source.length;
    tell([`${count} ${count === 1 ? "sentence" : "sentences"} in ${seconds} s.`, ...content.warnings].join(" "), content.warnings.length > 0);
  } catch (error) {
    tell(error.message, true);
  } finally {
    byId("translate").disabled = false;
  }
}

function show(content, fileName) {
  shown = content;
  byId("viewer").hidden = false;
  const names = Object.keys(content.systems);
  fillSelect(byId("compare-with"), [EVERY, ...names], byId("compare-with").value);
  byId("compare").hidden = names.length < 2;
  showTranslations();
  const analysed = Object.keys(content.analysis).length > 0;
  byId("layers").hidden = byId("legend").hidden = !analysed;
  source.show({ source: content.source, words: [] }, content.analysis);
  showDrawings(byId("drawings"), content.analysis.drawings ?? {});
  const texts = Object.entries(content.texts).flatMap(([name, text]) => [
    element("h3", {}, name),
    element("pre", { dir: "auto" }, text),
    ...(fileName ? [saved(fileName, text)] : []),
  ]);
  byId("texts").replaceChildren(...texts);
}

// A link that saves a translated file under its name.
function saved(fileName, text) {
  return element("a", { download: fileName, href: URL.createObjectURL(new Blob([text])) }, `Save ${fileName}`);
}

// In each translation the words are marked that one of the translations it is compared with has not.
function showTranslations() {
  const names = Object.keys(shown.systems);
  const base = byId("compare-with").value;
  const rows = shown.source.map((text, number) => {
    const cells = names.map((name) => {
      const others = names.filter((other) => other !== name && [EVERY, other].includes(base));
      return marked(shown.systems[name][number], others.map((other) => shown.systems[other][number]));
    });
    return [[`${number + 1}`], [text], ...cells];
  });
  byId("translations").replaceChildren(table("Translations", ["no.", "source", ...names], rows));
}

Object.entries(LAYERS).forEach(([name, title]) => {
  const box = element("input", { type: "checkbox", id: `layer-${name}` });
  box.checked = true;
  box.addEventListener("change", () => byId("source-text").classList.toggle(`hide-${name}`, !box.checked));
  byId("layers").append(element("label", {}, box, title));
});
byId("file").addEventListener("change", readFile);
["dragover", "dragleave", "drop"].forEach((name) => byId("form").addEventListener(name, dragged));
byId("form").addEventListener("submit", send);
byId("compare-with").addEventListener("change", showTranslations);
