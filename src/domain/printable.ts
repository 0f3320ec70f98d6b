/**
 * What others wrote (the bank, operators, whoever reaches a form) as a terminal and a log may get it: controls steer
 * terminals (ESC, and its one-byte forms in C1), bidirectional ones reorder what people read.
 */
const CONTROLS =
  /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\r(?!\n)/g;

/**
 * Every control as `\u001b`, which inside a JSON text is the same character still. Line feeds stay, with the carriage
 * return that a CSV has before them.
 */
export const escapeControls = (text: string): string => text.replace(CONTROLS, escaped);

/** Line feeds too: a value that is shown in a line of its own cannot make another one. */
export const oneLine = (text: string): string => text.replace(/[\r\n]/g, escaped).replace(CONTROLS, escaped);

const escaped = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
