import { textOfPage } from './pages';

/** `giro …` as a person types it, from a checkout or installed. */
const TYPED = /^(?:[A-Z_]+=\S+ )*(?:npm run -s giro -- |npx giro |giro )(.+)$/;

/**
 * The command lines of a page, from its shell blocks (lines after a backslash joined) and from backticks: the text
 * after the program's name, up to a pipe, a redirection, a comment or `&`.
 */
export function documentedCommands(page: string): string[] {
  const text = textOfPage(page);
  const blocks = [...text.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  const inline = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) =>
    code.replaceAll('\\|', '|'),
  );
  const lines = blocks
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  return [...lines.map((line) => line.replace(/^\$ /, '').replace(/\s#.*$/, '')), ...inline]
    .map((line) => TYPED.exec(line.trim())?.[1])
    .filter((line) => line !== undefined)
    .map((line) => line.replace(/ (?:[|&>]|2>|&&|\|\|)( .*)?$/, '').trim())
    .filter((line) => /^[a-z-]/.test(line));
}

/**
 * The commands in the first column of a page's table of commands, which omits the program's name. Other tables have
 * something else in this column.
 */
export function tabledCommands(page: string): string[] {
  const table = /^\| command +\| does +\|\n([\s\S]*?)\n\n/m.exec(textOfPage(page))?.[1] ?? '';
  return [...table.matchAll(/^\|((?:[^|\n\\]|\\\|)+)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.replaceAll('\\|', '|').matchAll(/`([^`]+)`/g)].map(([, line = '']) => line),
  );
}

/** The commands in a page's list of commands, which omits the program's name. */
export function listedCommands(page: string): string[] {
  return [...textOfPage(page).matchAll(/^- ((?:`[^`\n]+`(?:, )?)+): /gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line),
  );
}

/**
 * The words of a line, once for each alternative (`a|b`). Quoted text is one word; brackets around optional parts are
 * dropped, and so is an ellipsis.
 */
export function readingsOf(line: string): readonly string[][] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words
    .filter((word) => word !== '…' && word !== '...')
    .map((word) =>
      /^["'<]/.test(word) ? [word.replace(/^["']|["']$/g, '')] : word.replace(/^\[|\]+$/g, '').split('|'),
    )
    .reduce<string[][]>(
      (readings, choices) => readings.flatMap((reading) => choices.map((word) => [...reading, word])),
      [[]],
    );
}
