// A picture on the page. What is drawn is a plain description, which chart_svg.js turns into a file as well:
//
//   { title, x: {label, min, max, log}, y: {the same}, xs: [...],
//     lines: [{label, ys: [...], colour, dash, fill}],      null in ys is a gap that the line bridges
//     marks: [{at, label, colour, dash}],                    vertical lines
//     points: [{x, y, label, colour}],
//     cells: [{x0, x1, y0, y1, colour, told}], key: [{label, colour}] }   the map, and what its colours mean

class Chart {
  /** onpick(x, y): the reader clicked there. */
  constructor(place, height, onpick) {
    this.height = height;
    this.onpick = onpick;
    this.stage = element("div", { class: "stage", style: `height:${height}px`, role: "img" });
    this.legend = element("ul", { class: "legend" });
    this.readout = element("p", { class: "readout", "aria-hidden": "true" });
    this.heading = element("h3");
    place.append(this.heading, this.stage, this.legend, this.readout);
    this.picture = null;
    new ResizeObserver(() => this.picture && this.draw(this.picture)).observe(this.stage);
    darkness.addEventListener("change", () => this.picture && this.draw(this.picture));
  }

  draw(picture) {
    const width = this.stage.clientWidth;
    this.picture = picture;
    if (width === 0) return; // hidden: drawn when it is shown
    this.plot?.destroy();
    this.heading.textContent = picture.title;
    this.stage.setAttribute("aria-label", `${picture.title}. ${picture.told ?? ""}`);
    this.stage.classList.toggle("pickable", Boolean(this.onpick));
    this.plot = new uPlot(this.options(picture, width), [picture.xs, ...picture.lines.map((line) => line.ys)], this.stage);
    if (this.onpick)
      this.plot.over.addEventListener("click", (event) =>
        this.onpick(this.plot.posToVal(event.offsetX, "x"), this.plot.posToVal(event.offsetY, "y")));
    this.name(picture);
  }

  options(picture, width) {
    const c = colours(), narrow = width < 480;
    const axis = (side, extra) => ({
      stroke: c.axis, grid: { stroke: c.faint, width: 1 }, ticks: { stroke: c.faint, width: 1, size: 5 }, font: "12px system-ui, sans-serif",
      label: side.label, labelFont: "12px system-ui, sans-serif", labelSize: 18, labelGap: 2, ...extra,
      splits: () => ticks(side, extra.most), values: (_, splits) => splits.map(tickText), filter: (_, splits) => splits,
    });
    const scale = (side) => ({ time: false, distr: side.log ? 3 : 1, log: 10, range: [side.min, side.max] });
    return {
      width, height: this.height, pxAlign: 0, legend: { show: false }, padding: [10, 14, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: scale(picture.x), y: scale(picture.y) },
      axes: [axis(picture.x, { most: narrow ? 4 : 8, size: 30 }), axis(picture.y, { most: 6, size: narrow ? 44 : 50 })],
      series: [{}, ...picture.lines.map((line) => ({
        label: line.label, stroke: c[line.colour], width: 2, dash: line.dash, fill: line.fill ? c.shade : undefined,
        spanGaps: true, points: { show: false },
      }))],
      hooks: {
        drawClear: [(plot) => this.drawCells(plot, picture)],
        draw: [(plot) => this.drawMarks(plot, picture)],
        setCursor: [(plot) => this.tell(plot, picture)],
      },
    };
  }

  drawCells(plot, picture) {
    const c = colours();
    for (const cell of picture.cells ?? []) {
      const x = plot.valToPos(cell.x0, "x", true), y = plot.valToPos(cell.y1, "y", true);
      plot.ctx.fillStyle = c[cell.colour];
      plot.ctx.fillRect(x, y, plot.valToPos(cell.x1, "x", true) - x + 0.5, plot.valToPos(cell.y0, "y", true) - y + 0.5);
    }
  }

  drawMarks(plot, picture) {
    const c = colours(), { ctx } = plot, box = plot.bbox, ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.left, box.top, box.width, box.height);
    ctx.clip();
    for (const mark of picture.marks ?? []) {
      if (!(mark.at >= picture.x.min)) continue;
      const x = plot.valToPos(mark.at, "x", true);
      ctx.strokeStyle = c[mark.colour];
      ctx.lineWidth = 1.5 * ratio;
      ctx.setLineDash((mark.dash ?? []).map((d) => d * ratio));
      ctx.beginPath();
      ctx.moveTo(x, box.top);
      ctx.lineTo(x, box.top + box.height);
      ctx.stroke();
    }
    for (const point of picture.points ?? []) {
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.arc(plot.valToPos(point.x, "x", true), plot.valToPos(point.y, "y", true), 5.5 * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = c[point.colour];
      ctx.fill();
      ctx.strokeStyle = c.paper;
      ctx.lineWidth = 2 * ratio;
      ctx.stroke();
    }
    ctx.restore();
  }

  /** The values under the pointer, on a line that is always there. */
  tell(plot, picture) {
    const { left, top, idx } = plot.cursor;
    if (left < 0 || idx === null || idx === undefined) {
      this.readout.textContent = picture.hint ?? "\u00a0";
      return;
    }
    const x = plot.posToVal(left, "x"), y = plot.posToVal(top, "y");
    const cell = picture.cells?.find((c) => x >= c.x0 && x <= c.x1 && y >= c.y0 && y <= c.y1);
    const values = picture.cells
      ? [`${picture.x.label} ${written(x, 3)}`, `${picture.y.label} ${written(y, 3)}`, ...(cell?.told ? [cell.told] : [])]
      : [`${picture.x.label} ${written(picture.xs[idx])}`,
         ...picture.lines.filter((line) => line.ys[idx] !== null).map((line) => `${line.label} ${written(line.ys[idx])}`)];
    this.readout.textContent = values.join(" · ");
  }

  name(picture) {
    const entry = (label, kind, colour, dash) =>
      element("li", {}, element("span", { class: `swatch ${kind}${dash ? " dashed" : ""}`, style: `--colour:${colours()[colour]}` }), label);
    this.legend.replaceChildren(
      ...picture.lines.map((line) => entry(line.label, "line", line.colour, line.dash)),
      ...(picture.marks ?? []).map((mark) => entry(mark.label, "mark", mark.colour, mark.dash)),
      ...(picture.points ?? []).map((point) => entry(point.label, "dot", point.colour)),
      ...(picture.key ?? []).map((area) => entry(area.label, "area", area.colour)));
    this.readout.textContent = picture.hint ?? "\u00a0";
  }
}
