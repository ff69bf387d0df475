// The checks of `test_pages.py` that run in the page. The file is one function, which returns a list of
// `{check, what, where}`. `width` is that of the page in pixels. If `isPrint` is true, the page is on paper: nothing
// scrolls there, and backgrounds are white unless `print-color-adjust: exact` asks for them.
({ width, isPrint }) => {
  const MIN_TEXT_CONTRAST = 4.5;
  const MIN_MARK_CONTRAST = 3;
  // Boxes may differ from their containers by rounding.
  const ROUNDING = 1;
  const SHAPES = "path, rect, circle, ellipse, polygon, polyline, line";
  const findings = [];

  function report(check, what, element) {
    findings.push({ check, what, where: nameOf(element) });
  }

  /** Returns a short name, such as `svg 'Shares of crawlers' > text`. */
  function nameOf(element) {
    if (!element) return "page";
    const svg = element.closest("svg");
    if (svg && svg !== element) return `${nameOf(svg)} > ${element.tagName}`;
    const id = element.id ? `#${element.id}` : "";
    const classes = [...element.classList].map((name) => `.${name}`).join("");
    const label = element.getAttribute("aria-label") || "";
    return element.tagName.toLowerCase() + id + classes + (label ? ` '${shortened(label)}'` : "");
  }

  function shortened(text) {
    text = text.trim().replace(/\s+/g, " ");
    return text.length > 40 ? `${text.slice(0, 39)}…` : text;
  }

  function ancestors(element) {
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.unshift(e);
    return chain;
  }

  function outermostSvg(element) {
    return ancestors(element).find((e) => e.tagName === "svg");
  }

  /** Returns true for an element that is there for screen readers only. */
  function isClippedAway(element) {
    return ancestors(element).some((e) => {
      if (!(e instanceof HTMLElement)) return false;
      const style = getComputedStyle(e);
      const isTiny = style.overflowX !== "visible" && (e.clientWidth <= 1 || e.clientHeight <= 1) && style.display !== "inline";
      return style.position === "absolute" && (isTiny || /inset\(50%|inset\(100%/.test(style.clipPath) || style.clip === "rect(0px, 0px, 0px, 0px)");
    });
  }

  function isVisible(element) {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    return (box.width > 0 || box.height > 0) && !isClippedAway(element);
  }

  // Colours are [red, green, blue, alpha] in 0…1.

  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colors = new Map();

  function colorOf(text) {
    if (!colors.has(text)) {
      const rgb = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
      if (rgb) {
        colors.set(text, [rgb[1] / 255, rgb[2] / 255, rgb[3] / 255, rgb[4] === undefined ? 1 : Number(rgb[4])]);
      } else {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = text;
        context.fillRect(0, 0, 1, 1);
        colors.set(text, [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
      }
    }
    return colors.get(text);
  }

  function mix(below, above, alpha) {
    return [0, 1, 2].map((i) => above[i] * alpha + below[i] * (1 - alpha));
  }

  function over(below, color, alpha = 1) {
    return mix(below, color, color[3] * alpha);
  }

  function luminance(color) {
    const [r, g, b] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  }

  function hex(color) {
    return `#${color.slice(0, 3).map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("")}`;
  }

  function canvasColor() {
    if (isPrint) return [1, 1, 1];
    const probe = document.createElement("i");
    probe.style.cssText = "all: initial; background: Canvas; color-scheme: inherit";
    document.documentElement.append(probe);
    const color = colorOf(getComputedStyle(probe).backgroundColor);
    probe.remove();
    return color.slice(0, 3);
  }
  const canvas = canvasColor();

  function backgroundOf(style) {
    const isPrinted = !isPrint || (style.printColorAdjust || style.webkitPrintColorAdjust) === "exact";
    return isPrinted ? colorOf(style.backgroundColor) : [0, 0, 0, 0];
  }

  /**
   * Returns the colours of background and foreground where `element` is, through backgrounds and opacities of its
   * ancestors. `paint` returns both for a given colour below them.
   */
  function painted(element, paint) {
    const chain = ancestors(element);
    const paintFrom = (i, below) => {
      if (i === chain.length) return paint(below);
      const style = getComputedStyle(chain[i]);
      const inside = paintFrom(i + 1, over(below, backgroundOf(style)));
      const opacity = Number(style.opacity);
      return { background: mix(below, inside.background, opacity), foreground: mix(below, inside.foreground, opacity) };
    };
    return paintFrom(0, canvas);
  }

  /** Returns the product of the opacities of an element in an SVG, without those of the SVG and what is around it. */
  function opacityInSvg(element, svg) {
    let opacity = 1;
    for (let e = element; e && e !== svg; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity);
    return opacity;
  }

  /** Returns the colour and the alpha of 'fill' or 'stroke' of an element, or null if it has none. */
  function paintOf(element, property, svg) {
    const style = getComputedStyle(element);
    if (style[property] === "none") return null;
    if (property === "stroke" && parseFloat(style.strokeWidth) === 0) return null;
    const isServer = style[property].startsWith("url");
    const alpha = Number(style[`${property}Opacity`]) * opacityInSvg(element, svg);
    const color = isServer ? null : colorOf(style[property]);
    return alpha * (isServer ? 1 : color[3]) === 0 ? null : { color, alpha };
  }

  function coversPoint(shape, x, y) {
    const box = shape.getBoundingClientRect();
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) return false;
    const matrix = shape.getScreenCTM();
    return Boolean(matrix) && shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
  }

  function isBefore(a, b) {
    return Boolean(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING);
  }

  // Text.

  /** Returns the visible elements that have text of their own. */
  function elementsWithText() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set();
    const range = document.createRange();
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || found.has(parent) || !isVisible(parent)) continue;
      range.selectNodeContents(walker.currentNode);
      if ([...range.getClientRects()].some((box) => box.width > 0 && box.height > 0)) found.add(parent);
    }
    return [...found];
  }

  function checkTextContrast(element) {
    const svg = outermostSvg(element);
    const text = `'${shortened(element.textContent)}'`;
    const samples = svg ? svgTextColors(element, svg) : htmlTextColors(element);
    if (!samples) {
      report("contrast", `text ${text} has a colour or a background that is an image, so that its contrast is not known`, element);
      return;
    }
    const ratios = samples.map(({ foreground, background }) => contrast(foreground, background));
    const least = Math.min(...ratios);
    if (least < MIN_TEXT_CONTRAST) {
      const { foreground, background } = samples[ratios.indexOf(least)];
      report("contrast", `text ${text}: ${least.toFixed(2)} (${hex(foreground)} on ${hex(background)}), below ${MIN_TEXT_CONTRAST}`, element);
    }
  }

  function hasImage(element) {
    const isShown = (style) => !isPrint || (style.printColorAdjust || style.webkitPrintColorAdjust) === "exact";
    return ancestors(element).map((e) => getComputedStyle(e)).some((style) => style.backgroundImage !== "none" && isShown(style));
  }

  function htmlTextColors(element) {
    if (hasImage(element)) return null;
    const color = colorOf(getComputedStyle(element).color);
    return [painted(element, (below) => ({ background: below, foreground: over(below, color) }))];
  }

  /** Returns the colours at five places along a text, which may be in part over a bar. */
  function svgTextColors(element, svg) {
    const fill = paintOf(element, "fill", svg);
    if (!fill || !fill.color || hasImage(svg)) return null;
    const before = shapesOf(svg).filter((shape) => isBefore(shape.element, element));
    const samples = [];
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const { x, y } = pointAlong(element, part);
      const below = before.filter((shape) => coversPoint(shape.element, x, y));
      if (below.some((shape) => !shape.color)) return null;
      samples.push(painted(svg, (page) => {
        const background = below.reduce((color, shape) => over(color, shape.color, shape.alpha), page);
        return { background, foreground: over(background, fill.color, fill.alpha) };
      }));
    }
    return samples;
  }

  const shapesOfSvg = new Map();

  /** Returns the visible shapes of an SVG that are filled, in the order in which they are painted. */
  function shapesOf(svg) {
    if (!shapesOfSvg.has(svg)) {
      const shapes = [...svg.querySelectorAll(SHAPES)].filter((shape) => !shape.closest("defs, clipPath, mask, symbol, pattern, marker") && isVisible(shape));
      const filled = shapes.map((element) => ({ element, ...paintOf(element, "fill", svg) }));
      shapesOfSvg.set(svg, filled.filter((shape) => "alpha" in shape));
    }
    return shapesOfSvg.get(svg);
  }

  /** Returns the corners of the box of an SVG text on the screen. A rotated text has a rotated box. */
  function cornersOf(element, shrink = 0) {
    const text = element.closest("text");
    const box = text.getBBox();
    const matrix = text.getScreenCTM();
    const top = box.y + box.height * shrink;
    const bottom = box.y + box.height * (1 - shrink);
    return [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  }

  function pointAlong(element, part) {
    const [a, b, c, d] = cornersOf(element);
    const left = { x: (a.x + d.x) / 2, y: (a.y + d.y) / 2 };
    const right = { x: (b.x + c.x) / 2, y: (b.y + c.y) / 2 };
    return { x: left.x + (right.x - left.x) * part, y: left.y + (right.y - left.y) * part };
  }

  // Layout.

  function isInScroller(element) {
    return ancestors(element.parentElement).some((e) => e !== document.body && e !== document.documentElement && /auto|scroll/.test(getComputedStyle(e).overflowX));
  }

  function checkWidth() {
    const pageWidth = document.documentElement.scrollWidth;
    if (pageWidth > width) report("width", `the page is ${pageWidth} px wide, more than ${width}`, null);
    const wide = new Set();
    for (const element of document.body.querySelectorAll("*")) {
      if (element.parentElement.closest("svg") || !isVisible(element)) continue;
      const box = element.getBoundingClientRect();
      if (box.left >= -ROUNDING && box.right <= width + ROUNDING) continue;
      if (!isPrint && isInScroller(element)) continue;
      wide.add(element);
      if (!wide.has(element.parentElement)) {
        report("width", `from ${box.left.toFixed(0)} to ${box.right.toFixed(0)} px, outside 0 to ${width}`, element);
      }
    }
  }

  function checkCutOff() {
    for (const element of document.body.querySelectorAll("*")) {
      if (!(element instanceof HTMLElement) || !isVisible(element)) continue;
      const style = getComputedStyle(element);
      // On a screen, what scrolls can be read.
      const cuts = isPrint ? /auto|scroll|hidden|clip/ : /hidden|clip/;
      if (cuts.test(style.overflowX) && element.scrollWidth > element.clientWidth + ROUNDING) {
        report("cut", `${element.scrollWidth} px of content in ${element.clientWidth} px`, element);
      } else if (isPrint && cuts.test(style.overflowY) && element.scrollHeight > element.clientHeight + ROUNDING) {
        report("cut", `${element.scrollHeight} px of content in a height of ${element.clientHeight} px`, element);
      }
    }
  }

  // Charts.

  function textsOf(svg) {
    return [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() && isVisible(text));
  }

  function checkClippedText(svg) {
    const outer = svg.getBoundingClientRect();
    for (const text of textsOf(svg)) {
      const box = text.getBoundingClientRect();
      const beyond = Math.max(outer.left - box.left, box.right - outer.right, outer.top - box.top, box.bottom - outer.bottom);
      if (beyond > ROUNDING) report("clipped", `text '${shortened(text.textContent)}' is ${beyond.toFixed(1)} px outside its svg`, text);
    }
  }

  /** Returns true if two convex shapes have a point in common. */
  function areOverlapping(a, b) {
    for (const corners of [a, b]) {
      for (const i of [0, 1]) {
        const normal = { x: corners[i + 1].y - corners[i].y, y: corners[i].x - corners[i + 1].x };
        const range = (points) => {
          const along = points.map((point) => point.x * normal.x + point.y * normal.y);
          return [Math.min(...along), Math.max(...along)];
        };
        const [first, second] = [range(a), range(b)];
        if (first[1] <= second[0] || second[1] <= first[0]) return false;
      }
    }
    return true;
  }

  /** Checks all texts of a chart, so also the labels of each axis. */
  function checkOverlaps(svg) {
    // The box of a text has room for accents above its letters, and for descenders below.
    const boxes = textsOf(svg).map((text) => ({ text, corners: cornersOf(text, 0.1) }));
    boxes.forEach((a, i) => {
      for (const b of boxes.slice(i + 1)) {
        if (areOverlapping(a.corners, b.corners)) {
          report("overlap", `text '${shortened(a.text.textContent)}' overlaps '${shortened(b.text.textContent)}'`, a.text);
        }
      }
    });
  }

  function checkMarks(svg) {
    for (const mark of svg.querySelectorAll('[role="graphics-symbol"]')) {
      // Vega gives this role to titles, too.
      const isText = /^(title|axis|legend|header)$/.test(mark.getAttribute("aria-roledescription"));
      if (isText || !isVisible(mark)) continue;
      const label = mark.getAttribute("aria-label") || "";
      if (!/\d/.test(label)) report("labels", `a mark has no number in its aria-label '${shortened(label)}'`, mark);
      for (const shape of mark.matches(SHAPES) ? [mark] : mark.querySelectorAll(SHAPES)) {
        for (const property of ["fill", "stroke"]) {
          const paint = paintOf(shape, property, svg);
          if (!paint) continue;
          if (!paint.color) {
            report("marks", `the ${property} of '${shortened(label)}' is an image, so that its contrast is not known`, mark);
            continue;
          }
          const { foreground, background } = painted(svg, (page) => ({ background: page, foreground: over(page, paint.color, paint.alpha) }));
          const ratio = contrast(foreground, background);
          if (ratio < MIN_MARK_CONTRAST) {
            report("marks", `the ${property} of '${shortened(label)}': ${ratio.toFixed(2)} (${hex(foreground)} on ${hex(background)}), below ${MIN_MARK_CONTRAST}`, mark);
          }
        }
      }
    }
  }

  /** Checks marks over bars: their outlines contrast with the bar and with the page. */
  function checkOutlines(svg) {
    const shapes = shapesOf(svg).filter((shape) => shape.color);
    const bars = shapes.filter((shape) => shape.element.getAttribute("aria-roledescription") === "bar");
    for (const shape of shapes.filter((shape) => !bars.includes(shape))) {
      const box = shape.element.getBoundingClientRect();
      const isOver = (bar) => {
        const other = bar.element.getBoundingClientRect();
        return box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom && isBefore(bar.element, shape.element);
      };
      for (const bar of bars.filter(isOver)) {
        const stroke = paintOf(shape.element, "stroke", svg);
        const { foreground, background } = painted(svg, (page) => ({ background: page, foreground: stroke && stroke.color ? over(page, stroke.color, stroke.alpha) : page }));
        const { foreground: fill } = painted(svg, (page) => ({ background: page, foreground: over(page, bar.color, bar.alpha) }));
        const least = Math.min(contrast(foreground, background), contrast(foreground, fill));
        if (least < MIN_MARK_CONTRAST) report("outlines", `a mark over a bar has an outline of contrast ${least.toFixed(2)}, below ${MIN_MARK_CONTRAST}`, bar.element);
      }
    }
  }

  /** Checks that one form of each chart is visible. The forms of a chart have the same parent. */
  function checkForms() {
    const selector = ".wide, .narrow";
    const isForm = (e) => (e.tagName === "svg" || e.querySelector("svg")) && !e.parentElement.closest(selector);
    const forms = [...document.body.querySelectorAll(selector)].filter(isForm);
    for (const parent of new Set(forms.map((form) => form.parentElement))) {
      const [wide, narrow] = ["wide", "narrow"].map((name) => forms.filter((form) => form.parentElement === parent && form.classList.contains(name)));
      if (wide.length !== narrow.length) {
        report("forms", `${wide.length} wide and ${narrow.length} narrow forms`, parent);
        continue;
      }
      wide.forEach((form, i) => {
        const isShown = [form, narrow[i]].map((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
        const isHidden = !parent.checkVisibility();
        if (!isHidden && isShown[0] === isShown[1]) report("forms", `${isShown[0] ? "both forms are" : "no form is"} visible`, form);
      });
    }
  }

  function checkSvgLabel(svg) {
    const role = svg.getAttribute("role");
    if (!["img", "graphics-document"].includes(role)) report("labels", `the role is '${role || ""}', not img or graphics-document`, svg);
    if (!(svg.getAttribute("aria-label") || "").trim()) report("labels", "an svg has no aria-label", svg);
  }

  // Resources.

  function checkResources() {
    for (const script of document.querySelectorAll("script")) report("scripts", "a script element", script);
    const isInside = (url) => /^(data:|#|about:)/.test(url.trim()) || !url.trim();
    for (const element of document.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on")) report("scripts", `an attribute ${name}`, element);
        if (/^\s*javascript:/i.test(value)) report("scripts", `a URL with a script in ${name}`, element);
        const loads = ["src", "srcset", "poster", "data"].includes(name) || (/^(xlink:)?href$/.test(name) && !element.matches("a, area"));
        if (loads && !isInside(value)) report("resources", `${name}=${shortened(value)}`, element);
      }
      const css = element.matches("style") ? element.textContent : element.getAttribute("style") || "";
      const urls = [...css.matchAll(/url\(\s*["']?([^"')]*)/g)].map((match) => match[1]);
      for (const [, url] of css.matchAll(/@import\s*(?:url\()?\s*["']?([^"');\s]*)/g)) urls.push(url);
      for (const url of new Set(urls.filter((url) => !isInside(url)))) report("resources", `a style with ${shortened(url)}`, element);
    }
  }

  checkResources();
  checkWidth();
  checkCutOff();
  checkForms();
  elementsWithText().forEach(checkTextContrast);
  for (const svg of document.querySelectorAll("svg")) {
    if (svg.parentElement.closest("svg")) continue;
    checkSvgLabel(svg);
    if (!isVisible(svg)) continue;
    checkClippedText(svg);
    checkOverlaps(svg);
    checkMarks(svg);
    checkOutlines(svg);
  }
  return findings;
};
