import { median, totalCpuMs } from './report';
import type { Measured, ThroughputReport } from './report';

const WIDTH = 720;
const BAR_PX = 22;
const ROW_PX = 32;
const LABELS_PX = 90;
const HEAD_PX = 34;
const BARS_PX = 230;
const COLOURS = { giro: '#2b6cb0', others: '#a0aec0' } as const;

/** Two groups of bars side by side: transfers a second, and processor time of a transfer. */
export function chart({ contestants }: Pick<ThroughputReport, 'contestants'>): string {
  const height = HEAD_PX + contestants.length * ROW_PX + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...contestants.map(({ name }, i) => `<text x="10" y="${textY(i)}">${name}</text>`),
    ...bars(contestants, LABELS_PX, 'transfers a second', (it) =>
      median(it.rounds.map(({ perSecond }) => perSecond)),
    ),
    ...bars(contestants, LABELS_PX + BARS_PX + 90, 'processor time, ms a transfer', (it) =>
      median(it.rounds.map(totalCpuMs)),
    ),
    '</svg>',
    '',
  ].join('\n');
}

function bars(
  contestants: readonly Measured[],
  x: number,
  title: string,
  value: (contestant: Measured) => number,
): string[] {
  const largest = Math.max(...contestants.map(value));
  return [
    `<text x="${x}" y="20" font-weight="bold">${title}</text>`,
    ...contestants.flatMap((contestant, i) => {
      const width = ((value(contestant) / largest) * BARS_PX).toFixed(1);
      const colour = contestant.name === 'giro' ? COLOURS.giro : COLOURS.others;
      return [
        `<rect x="${x}" y="${HEAD_PX + i * ROW_PX}" width="${width}" height="${BAR_PX}" fill="${colour}"/>`,
        `<text x="${(x + Number(width) + 6).toFixed(1)}" y="${textY(i)}">${value(contestant).toFixed(1)}</text>`,
      ];
    }),
  ];
}

const textY = (row: number): number => HEAD_PX + row * ROW_PX + BAR_PX - 6;
