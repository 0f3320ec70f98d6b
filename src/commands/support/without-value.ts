/** What commander says of a value that a reader refused, around the value. */
const OF_OPTION = /^(error: option '.*?' argument) '.*' (is invalid\.)/s;
const OF_ARGUMENT = /^(error: command-argument value) '.*' (is invalid for argument '[^']*'\.)/s;

/** Commander's error without the refused value, which may be an account, a name or a secret in the wrong place. */
export const withoutValue = (error: string): string =>
  error.replace(OF_OPTION, '$1 $2').replace(OF_ARGUMENT, '$1 $2');
