import { SEVERITIES } from '../break';
import type { Severity } from '../break';
import { html } from './safe-html';
import type { SafeHtml } from './safe-html';

export interface Bar {
  readonly label: string;
  /** The text at the bar's end. */
  readonly total: string;
  readonly bySeverity: Readonly<Record<Severity, number>>;
}

/** In units of the drawing; it scales with the page. */
const WIDTH = 520;
const LABEL_WIDTH = 212;
const TOTAL_WIDTH = 135;
const ROW_HEIGHT = 28;
const BAR_HEIGHT = 16;
/** Least width of a bar that is not empty, so that it stays visible. */
const BAR_WIDTH_MIN = 3;

/** Horizontal bars, the most severe part first, drawn as SVG with its colours from the page's style. */
export function barChart(title: string, bars: readonly Bar[]): SafeHtml {
  const longest = Math.max(1, ...bars.map(sumOf));
  const height = bars.length * ROW_HEIGHT;
  const described = bars.map(({ label, total }) => `${label}: ${total}`).join('; ');
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${height}"
    role="img"
    aria-label="${title}. ${described}"
  >
    ${bars.map((bar, row) => drawnBar(bar, row * ROW_HEIGHT, longest))}
  </svg>`;
}

function drawnBar(bar: Bar, top: number, longest: number): SafeHtml {
  const baseline = top + ROW_HEIGHT / 2 + 5;
  const room = WIDTH - LABEL_WIDTH - TOTAL_WIDTH;
  let left = LABEL_WIDTH;
  const parts = [...SEVERITIES].reverse().flatMap((severity) => {
    const value = bar.bySeverity[severity];
    if (value <= 0) return [];
    const width = Math.max(BAR_WIDTH_MIN, (value / longest) * room);
    const x = left;
    left += width;
    return html`<rect
      class="${severity}"
      x="${x.toFixed(1)}"
      y="${top + (ROW_HEIGHT - BAR_HEIGHT) / 2}"
      width="${width.toFixed(1)}"
      height="${BAR_HEIGHT}"
    />`;
  });
  return html`<text class="label" x="${LABEL_WIDTH - 12}" y="${baseline}" text-anchor="end"
      >${bar.label}</text
    >
    ${parts}
    <text class="value" x="${(left + 8).toFixed(1)}" y="${baseline}">${bar.total}</text>`;
}

const sumOf = ({ bySeverity }: Bar): number =>
  SEVERITIES.reduce((sum, severity) => sum + bySeverity[severity], 0);
