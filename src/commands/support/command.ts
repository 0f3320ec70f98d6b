import type { Command } from 'commander';
import type { CommandIo } from '../../program/io';
import type { ExitCode } from '../../program/exit-codes';

/** Where an action leaves its exit code: commander's actions return nothing. */
export interface CommandRun {
  readonly io: CommandIo;
  readonly end: (code: ExitCode) => void;
}

/** Adds one command to the program; `parent` is `giro` or a group such as `giro transfer`. */
export type AddCommand = (parent: Command, run: CommandRun) => void;
