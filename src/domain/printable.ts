/**
 * Makes text from outside (the bank, operators, anyone who fills in a form) safe for terminals and logs. Control
 * characters act on terminals (ESC, and its one-byte forms in C1); bidirectional controls reorder the visible text.
 */
const CONTROLS =
  /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g;

/**
 * Writes every control character as an escape like `\u001b`, which JSON reads as the same character. Line feeds stay,
 * and so do the carriage returns before them in a CSV.
 */
export const escapeControls = (text: string): string => text.replace(CONTROLS, escaped);

/** Escapes line feeds too, so that a value cannot start another line. */
export const oneLine = (text: string): string => text.replace(/[\r\n]/g, escaped).replace(CONTROLS, escaped);

const escaped = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
