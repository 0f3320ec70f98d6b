import { transferSuite } from './transfer-suite';

transferSuite();
