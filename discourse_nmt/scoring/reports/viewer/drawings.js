// Drawings of trees, made before the page was; each is read when it is opened, and saved as SVG or PNG.

const DRAWN = new Set(["svg", "title", "desc", "style", "g", "rect", "path", "circle", "text", "tspan"]);
const SHARPNESS = 2; // pixels of a PNG for each of the drawing
const opened = new Set(["RST tree"]);

function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  for (const part of parsed.querySelectorAll("*")) if (!DRAWN.has(part.localName)) part.remove();
  return document.importNode(parsed, true);
}

function showDrawings(container, drawings) {
  container.replaceChildren(
    ...Object.entries(drawings).map(([title, svg]) => {
      const region = element("div", { class: "scroll", role: "region", "aria-label": title, tabindex: "0" });
      const folded = element("details", {}, element("summary", {}, title), savers(region), region);
      folded.addEventListener("toggle", () => {
        if (folded.open && !region.firstChild) region.append(drawing(svg));
        opened[folded.open ? "add" : "delete"](title);
      });
      folded.open = opened.has(title);
      return folded;
    }),
  );
}

// Buttons that save the drawing of a region.
function savers(region) {
  const button = (kind, save) => {
    const made = element("button", { type: "button" }, `Save as ${kind}`);
    made.addEventListener("click", () => save(region.querySelector("svg")));
    return made;
  };
  return element("div", { class: "controls" }, button("SVG", saveSvg), button("PNG", savePng));
}

// Drawings that stand in the page already.
for (const region of document.querySelectorAll(".sheet .scroll")) region.before(savers(region));

function blobOf(svg) {
  return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

function save(blob, svg, ending) {
  const name = svg.querySelector("title").textContent.replace(/[^\p{L}\p{N}]+/gu, "-");
  const link = element("a", { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function saveSvg(svg) {
  save(blobOf(svg), svg, "svg");
}

async function savePng(svg) {
  save(await pngOf(svg), svg, "png");
}

// The drawing on the paper that it has in a file of its own.
async function pngOf(svg) {
  const image = new Image();
  const address = URL.createObjectURL(blobOf(svg));
  image.src = address;
  await image.decode();
  const canvas = element("canvas");
  [canvas.width, canvas.height] = [image.width * SHARPNESS, image.height * SHARPNESS];
  const painted = canvas.getContext("2d");
  painted.fillStyle = matchMedia("(prefers-color-scheme: dark)").matches ? "#16191c" : "#fdfdfc";
  painted.fillRect(0, 0, canvas.width, canvas.height);
  painted.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
