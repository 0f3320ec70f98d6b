/** Required by a worker in a separate process: a create never returns. */
require('./hang-after.cjs')('createTransfer');
