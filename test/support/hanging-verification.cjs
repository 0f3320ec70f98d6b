/** Required by a worker in a separate process: a look-up of a verification never returns. */
require('./hang-after.cjs')('getVerification');
