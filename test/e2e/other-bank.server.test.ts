import { otherBank } from '../bank/other-bank/dialect/other-bank';
import { startFront } from '../bank/other-bank/front';
import { transferSuite } from './transfer-suite';

describe('at a bank with another dialect', () => {
  transferSuite({ front: { dialect: otherBank, start: startFront } });
});
