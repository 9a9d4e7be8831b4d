// The same description of a picture as an SVG file: light paper, no script, every font.

function chartSvg(picture) {
  const c = COLOURS.light, width = 720, height = 420, left = 66, right = 18, top = 40;
  const entries = [
    ...picture.lines.map((line) => ({ ...line, shape: "line" })), ...(picture.marks ?? []).map((mark) => ({ ...mark, shape: "line" })),
    ...(picture.points ?? []).map((point) => ({ ...point, shape: "dot" })), ...(picture.key ?? []).map((area) => ({ ...area, shape: "area" })),
  ];
  const columns = entries.some((entry) => entry.label.length > 28) ? 2 : 3;
  const rows = Math.ceil(entries.length / columns), bottom = 56 + 18 * rows, clean = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const position = (axis, from, to) => {
    const f = axis.log ? Math.log : (v) => v;
    return (value) => from + ((f(value) - f(axis.min)) / (f(axis.max) - f(axis.min))) * (to - from);
  };
  const x = position(picture.x, left, width - right), y = position(picture.y, height - bottom, top), at = (v) => v.toFixed(2);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${clean(picture.title)}</title>`, `<rect width="100%" height="100%" fill="${c.paper}"/>`,
    `<text x="${left}" y="22" font-size="15" font-weight="600" fill="${c.ink}">${clean(picture.title)}</text>`,
    `<clipPath id="inside"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - bottom - top}"/></clipPath>`,
  ];
  out.push('<g clip-path="url(#inside)">');
  for (const cell of picture.cells ?? [])
    out.push(`<rect x="${at(x(cell.x0))}" y="${at(y(cell.y1))}" width="${at(x(cell.x1) - x(cell.x0) + 0.3)}" height="${at(y(cell.y0) - y(cell.y1) + 0.3)}" fill="${c[cell.colour]}"/>`);
  out.push("</g>");
  for (const value of ticks(picture.x, 8))
    out.push(`<path d="M${at(x(value))} ${top}V${height - bottom}" stroke="${c.faint}"/>`,
      `<text x="${at(x(value))}" y="${height - bottom + 16}" text-anchor="middle" fill="${c.axis}">${tickText(value)}</text>`);
  for (const value of ticks(picture.y, 6))
    out.push(`<path d="M${left} ${at(y(value))}H${width - right}" stroke="${c.faint}"/>`,
      `<text x="${left - 6}" y="${at(y(value) + 4)}" text-anchor="end" fill="${c.axis}">${tickText(value)}</text>`);
  out.push('<g clip-path="url(#inside)" fill="none" stroke-width="2">');
  for (const line of picture.lines) {
    const points = picture.xs.map((v, i) => [v, line.ys[i]]).filter(([, v]) => v !== null && !(picture.y.log && v <= 0));
    if (points.length === 0) continue;
    const path = points.map(([a, b], i) => `${i ? "L" : "M"}${at(x(a))} ${at(Math.max(-1e4, Math.min(1e4, y(b))))}`).join("");
    out.push(`<path d="${path}" stroke="${c[line.colour]}"${line.dash ? ` stroke-dasharray="${line.dash.join(" ")}"` : ""}/>`);
  }
  for (const mark of (picture.marks ?? []).filter((mark) => mark.at >= picture.x.min))
    out.push(`<path d="M${at(x(mark.at))} ${top}V${height - bottom}" stroke="${c[mark.colour]}" stroke-width="1.5"${mark.dash ? ` stroke-dasharray="${mark.dash.join(" ")}"` : ""}/>`);
  out.push("</g>");
  for (const point of picture.points ?? [])
    out.push(`<circle clip-path="url(#inside)" cx="${at(x(point.x))}" cy="${at(y(point.y))}" r="5.5" fill="${c[point.colour]}" stroke="${c.paper}" stroke-width="2"/>`);
  out.push(`<text x="${(left + width - right) / 2}" y="${height - bottom + 36}" text-anchor="middle" fill="${c.ink}">${clean(picture.x.label)}</text>`,
    `<text transform="translate(16 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle" fill="${c.ink}">${clean(picture.y.label)}</text>`);
  entries.forEach((entry, i) => {
    const ex = left + (i % columns) * (636 / columns), ey = height - 18 * rows + 18 * Math.floor(i / columns) + 2;
    if (entry.shape === "dot") out.push(`<circle cx="${ex + 12}" cy="${ey - 4}" r="5" fill="${c[entry.colour]}"/>`);
    else if (entry.shape === "area") out.push(`<rect x="${ex}" y="${ey - 10}" width="24" height="12" fill="${c[entry.colour]}"/>`);
    else out.push(`<path d="M${ex} ${ey - 4}h24" stroke="${c[entry.colour]}" stroke-width="2"${entry.dash ? ` stroke-dasharray="${entry.dash.join(" ")}"` : ""}/>`);
    out.push(`<text x="${ex + 30}" y="${ey}" fill="${c.ink}">${clean(entry.label)}</text>`);
  });
  out.push("</svg>");
  return out.join("\n") + "\n";
}
