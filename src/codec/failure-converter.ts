import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves message and stack of every failure into a payload, which the codec then encrypts. Bundled with the workflows
 * of an encrypted namespace; without a codec it would only hide messages from the UI.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
