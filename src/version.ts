/**
 * The version of package.json (a test compares them): compiled code lies too deep to read that file by a fixed path.
 */
export const VERSION = '0.1.0';
