// One plot on a canvas, drawn by uPlot from the session's history.

import uPlot from 'uplot';
import { fixed, powerOfTen, prefixFor, quantity, significant, type Quantity } from '../numbers/format';
import { ticks } from '../numbers/nice';
import { CalmRange } from '../numbers/range';
import type { History } from '../session/history';
import { token } from '../theme';
import { logRange, logTicks, timeRange, type PlotSpec } from './specs';

const AXIS_FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
const AXIS_WIDTH = 40;

export interface ChartEvents {
  /** The heading's value: at the cursor, else the newest. */
  heading(value: Quantity | null, second: Quantity | null): void;
  /** The cursor's time and place in the plot, or null. */
  cursor(at: { time: number; left: number } | null): void;
}

/** All plots of a page move their cursors together. */
const together = uPlot.sync('plots');

export class Chart {
  private plot: uPlot;
  private readonly range: CalmRange;
  private history: History | null = null;
  private marks: number[] = [];
  /** Where zeros are drawn on a log axis; null while there are none. */
  private zeroAt: number | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly spec: PlotSpec,
    private readonly events: ChartEvents,
  ) {
    this.range = new CalmRange(spec.least);
    this.plot = this.make();
    together.sub(this.plot);
  }

  resize(width: number, height: number): void {
    if (width > 0 && height > 0 && (width !== this.plot.width || height !== this.plot.height)) this.plot.setSize({ width, height });
  }

  /** Draws the history up to its newest report. */
  update(history: History, now: number): void {
    this.history = history;
    const times = history.column('time');
    const [from, to] = timeRange(times.at(-1) ?? 0);
    const first = Math.max(0, times.findIndex((time) => time >= from) - 1);
    const shown = Array.from({ length: times.length - first }, (_, i) => first + i);
    this.marks = shown.filter((i) => history.column('budget_cut')[i]! > 0).map((i) => times[i]!);
    const lines = this.spec.lines.map((line) => shown.map((i) => line.values(history, i)));
    const [min, max] = this.verticalRange(lines.flat(), now);
    // A gap in the data is a gap in the line.
    const drawn = lines.map((line) => line.map((x) => (Number.isFinite(x) ? (this.spec.log ? Math.max(x, min) : x) : null)));
    this.plot.batch(() => {
      this.plot.setData([shown.map((i) => times[i]!), ...drawn], false);
      this.plot.setScale('x', { min: from, max: to });
      this.plot.setScale('y', { min, max });
    });
    this.tellHeading();
  }

  /** Moves the cursor by so many reports; starts at the newest one. */
  moveCursor(by: number): void {
    const times = this.plot.data[0];
    if (times.length === 0) return;
    const index = Math.min(times.length - 1, Math.max(0, (this.plot.cursor.idx ?? times.length - 1) + by));
    const left = this.plot.valToPos(times[index]!, 'x');
    this.putCursor(left, 1);
  }

  leave(): void {
    this.putCursor(-10, -10);
  }

  /** Rebuilds in the colours of the present theme. */
  repaint(now: number): void {
    const { width, height } = this.plot;
    together.unsub(this.plot);
    this.plot.destroy();
    this.plot = this.make();
    together.sub(this.plot);
    this.resize(width, height);
    if (this.history) this.update(this.history, now);
  }

  dispose(): void {
    together.unsub(this.plot);
    this.plot.destroy();
  }

  /** The last argument, which uPlot's types leave out, moves the other plots' cursors too. */
  private putCursor(left: number, top: number): void {
    (this.plot.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void)({ left, top }, true, true);
  }

  private verticalRange(values: number[], now: number): [number, number] {
    if (this.spec.log) {
      const { min, max, hasZero } = logRange(values);
      this.zeroAt = hasZero ? min : null;
      return [min, max];
    }
    const finite = values.filter(Number.isFinite);
    const lowest = Math.min(0, ...finite);
    return [lowest < 0 ? 1.1 * lowest : 0, this.range.fit(Math.max(0, ...finite), now)];
  }

  /** The prefix that suits the axis serves the heading too: 0.9 under an axis in µs stays in µs. */
  private unitOf(max: number): { factor: number; unit: string } {
    if (this.spec.unit === '') return { factor: 1, unit: '' };
    const { factor, prefix } = prefixFor(max);
    return { factor, unit: prefix + this.spec.unit };
  }

  /** The largest number on the axis, whatever its sign. */
  private get largest(): number {
    const { min, max } = this.plot.scales.y!;
    return Math.max(Math.abs(min ?? 0), Math.abs(max ?? 1));
  }

  private tellHeading(): void {
    if (!this.history || this.history.length === 0) {
      this.events.heading(null, null);
      return;
    }
    const times = this.plot.data[0];
    const at = this.plot.cursor.idx;
    const time = at === null || at === undefined ? times[times.length - 1]! : times[at]!;
    const i = Math.max(0, this.history.column('time').lastIndexOf(time));
    const { heading, secondHeading } = this.spec;
    this.events.heading(this.headingOf(heading, i), secondHeading === undefined ? null : this.headingOf(secondHeading, i));
  }

  private headingOf(line: number, i: number): Quantity {
    const value = this.spec.lines[line]!.values(this.history!, i);
    if (this.spec.unit === '') return { number: fixed(value, 0), unit: '' };
    if (this.spec.log) return quantity(value, this.spec.unit, 2);
    const { factor, unit } = this.unitOf(this.largest);
    return { number: significant(value / factor, 3), unit };
  }

  private axisText(values: number[]): string[] {
    if (this.spec.log) {
      return values.map((x) => (this.zeroAt !== null && x <= this.zeroAt * 1.01 ? '0' : powerOfTen(x)));
    }
    const { factor } = this.unitOf(this.largest);
    return values.map((x) => String(Number((x / factor).toPrecision(6))).replace('-', '\u2212'));
  }

  private make(): uPlot {
    const { spec } = this;
    const axis = { stroke: token('ink3'), font: AXIS_FONT, ticks: { show: false } };
    return new uPlot(
      {
        width: 240,
        height: 96,
        padding: [6, 2, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false }, sync: { key: together.key } },
        scales: { x: { time: false, auto: false }, y: { auto: false, distr: spec.log ? 3 : 1 } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 22,
            gap: 6,
            splits: (_plot, _i, min, max) => ticks(min, max, 3).filter((x) => x < max - 0.02 * (max - min)),
            values: (_plot, splits) => splits.map((x, i) => (i === 0 ? `${Number(x.toPrecision(6))} s` : String(Number(x.toPrecision(6))))),
          },
          {
            ...axis,
            grid: { stroke: token('grid'), width: 1 },
            size: AXIS_WIDTH,
            gap: 6,
            filter: (_plot, splits) => splits, // uPlot's own would drop decades
            splits: (_plot, _i, min, max) => (spec.log ? logTicks(min, max) : ticks(min, max, 2)),
            values: (_plot, splits) => this.axisText(splits),
          },
        ],
        series: [
          {},
          ...spec.lines.map((line) => ({
            stroke: token(line.color),
            width: line.width,
            fill: line.fill ? token(line.fill) : undefined,
            dash: line.dash,
            points: { show: false },
          })),
        ],
        hooks: {
          setCursor: [(plot) => this.cursorMoved(plot)],
          draw: [(plot) => this.drawMarks(plot)],
        },
      },
      [[], ...spec.lines.map(() => [])],
      this.element,
    );
  }

  private cursorMoved(plot: uPlot): void {
    const index = plot.cursor.idx;
    const time = index === null || index === undefined ? undefined : plot.data[0][index];
    this.events.cursor(time === undefined ? null : { time, left: AXIS_WIDTH + plot.valToPos(time, 'x') });
    this.tellHeading();
  }

  /** Budget cuts as ticks at the top edge, and the limit where it is in range. */
  private drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const pixel = devicePixelRatio;
    ctx.save();
    ctx.fillStyle = token('warn');
    for (const time of this.marks) ctx.fillRect(plot.valToPos(time, 'x', true), bbox.top, 1.5 * pixel, 5 * pixel);
    const limit = this.spec.limit && (this.history?.column(this.spec.limit).at(-1) ?? 0) * 1e-3;
    if (limit && limit <= (plot.scales.y!.max ?? 0)) {
      const y = plot.valToPos(limit, 'y', true);
      ctx.strokeStyle = token('ink3');
      ctx.lineWidth = 1.25 * pixel;
      ctx.setLineDash([3 * pixel, 3 * pixel]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }
}
