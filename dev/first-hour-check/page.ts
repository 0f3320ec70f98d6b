export const PAGE = 'docs/first-hour.md';

/** Ports that the page names; the check replaces them by free ports. */
export const PORTS: readonly number[] = [
  ...[5432, 7233, 7243, 8233, 8443, 8444, 8080, 8088],
  ...[9464, 9465, 9466, 9467, 9468],
];

/** A shell block of the page, in the order of the page. */
export interface Block {
  /** Line of its opening fence, from 1. */
  readonly line: number;
  /** The heading above it. */
  readonly heading: string;
  readonly script: string;
  /** `host`: the shell of the reader's account; `checkout`: a separate shell in the checkout. */
  readonly runsIn: 'host' | 'checkout' | { readonly notRun: string };
  /** Lines that the output must have, in this order; `…` stands for any text within a line. */
  readonly expected: readonly string[];
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly heading: string;
  /** The lines between the previous block and this one. */
  readonly before: readonly string[];
}

const DIRECTIVE = /^<!-- check: (?:in the (?<checkout>checkout)|not run: (?<reason>.{10,})) -->$/;

/**
 * The shell blocks of a Markdown page. A block is run unless the line above it is `<!-- check: not run: REASON -->`. A
 * `text` block right after it shows the expected output. Throws for any other block, so that the check covers the
 * complete page.
 */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const fence of fencesOf(page)) {
    if (fence.language === 'text') {
      const shown = blocks.at(-1);
      if (shown === undefined || shown.expected.length > 0 || fence.before.some((line) => line !== ''))
        throw new Error(`line ${fence.line}: no shell block stands right before this output`);
      blocks[blocks.length - 1] = { ...shown, expected: fence.text.split('\n').filter(Boolean) };
    } else if (fence.language === 'sh') blocks.push(blockOf(fence));
    else throw new Error(`line ${fence.line}: a block is sh or text, not "${fence.language}"`);
  }
  return blocks;
}

function blockOf({ line, heading, text, before }: Fence): Block {
  const comment = before.filter(Boolean).at(-1) ?? '';
  const directive = DIRECTIVE.exec(comment)?.groups;
  if (comment.startsWith('<!--') && directive === undefined)
    throw new Error(`line ${line}: unknown directive ${comment}`);
  const reason = directive?.['reason'];
  const where = directive?.['checkout'] === undefined ? 'host' : 'checkout';
  return {
    line,
    heading,
    script: text,
    runsIn: reason === undefined ? where : { notRun: reason },
    expected: [],
  };
}

function fencesOf(page: string): Fence[] {
  const fences: Fence[] = [];
  let heading = '';
  let before: string[] = [];
  let open: { line: number; language: string; text: string[] } | null = null;
  for (const [index, line] of page.split('\n').entries()) {
    const fence = /^\s*```(?<language>.*)$/.exec(line)?.groups;
    if (open !== null) {
      if (fence === undefined) open.text.push(line);
      else {
        fences.push({ ...open, text: open.text.join('\n'), heading, before });
        open = null;
        before = [];
      }
    } else if (fence !== undefined) open = { line: index + 1, language: fence['language'] ?? '', text: [] };
    else {
      before.push(line);
      if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
    }
  }
  if (open !== null) throw new Error(`line ${open.line}: the block does not end`);
  return fences;
}

/**
 * The first expected line that the output lacks, in order; null: it has all of them. Widths of columns do not count.
 */
export function missingLine(expected: readonly string[], output: string): string | null {
  const lines = output.split('\n').map(oneSpaced);
  let from = 0;
  for (const line of expected) {
    const parts = oneSpaced(line).split('…').map(escaped);
    const pattern = new RegExp(parts.join('.*'));
    const at = lines.findIndex((text, index) => index >= from && pattern.test(text));
    if (at === -1) return line;
    from = at + 1;
  }
  return null;
}

const oneSpaced = (text: string): string => text.trim().replaceAll(/ +/g, ' ');
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The text with each fixed port of the page replaced by the check's free port. */
export function withPorts(text: string, ports: ReadonlyMap<number, number>): string {
  return text.replaceAll(/\b\d{4,5}\b/g, (number) => String(ports.get(Number(number)) ?? number));
}
