import type { ColumnIndex } from './line-reader';
import { StatementProblem } from './statement-problem';

/** Finds columns by the header's names, compared without outer spaces, or by number when there is no header. */
export function columnIndex(header: readonly string[] | null, line: number): ColumnIndex {
  const names = header?.map((name) => name.trim()) ?? [];
  return (column) => {
    if (typeof column === 'number') {
      if (header !== null && column > names.length) {
        throw new StatementProblem('COLUMN_NOT_FOUND', line, `number ${column}`);
      }
      return column - 1;
    }
    const index = names.indexOf(column.trim());
    if (index < 0) throw new StatementProblem('COLUMN_NOT_FOUND', line, column);
    if (names.lastIndexOf(column.trim()) !== index) throw new StatementProblem('COLUMN_TWICE', line, column);
    return index;
  };
}
