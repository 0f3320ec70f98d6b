import { literal } from '../json';

/**
 * Made-up data with the form and quirks of the bank's interface; tax ids have valid check digits. Contains non-ASCII
 * characters on purpose.
 */

const additionalData = {
  cuitStatus: 'ACTIVO',
  address: 'Calle Señal 123',
  city: 'San José',
  zipCode: '1000',
  state: 'CIUDAD AUTONOMA BUENOS AIRES',
  taxCategory: 'Responsable Inscripto',
  mainActivityCode: '620100',
  mainActivityDescription: 'Servicios de consultores en informática',
  economicSizeCode: 'P',
  economicSizeDescription: 'Pequeña',
  arrears: literal('1250.50'),
  rejectedChecks: [
    {
      amount: literal('98000.00'),
      causeCode: '01',
      causeDescription: 'Sin fondos',
      checkNumber: 12345678,
      judicialProcess: '',
      paymentDate: null,
      penaltyFeeDate: '2025-03-04',
      rejectionDate: '2025-03-01',
      revision: '',
    },
  ],
  debtLevelCode: '2',
  debtLevelDescription: 'Bajo',
  bcraSituation: 1,
  financialScore: 712,
};

const documentData = {
  sample: 'A',
  issuingDate: '2021-05-03',
  expirationDate: '2036-05-03',
  name: 'Nadie Inventada',
  surname: 'De Ñandubay',
  addressStreet: 'Calle Señal',
  addressStreetDoor: 123,
  floor: '',
  apt: '',
  zipCode: '1000',
  neighborhood: '',
  building: '',
  city: 'San José',
  State: 'CIUDAD AUTONOMA BUENOS AIRES',
  country: 'ARGENTINA',
  nationality: 'ARGENTINA',
  isDead: false,
  isDeadMessage: '',
  transactionControlNumber: '00000000001',
  typeOfTransaction: 'A',
  dateOfTransaction: 1767571200000,
};

const human = {
  taxNumber: 27361705039,
  legalReason: 'De Ñandubay Nadie Inventada',
  type: 'Humana',
  nationality: 'Argentina',
  birthDate: '1991-02-28T00:00:00',
  legalIdType: 'DNI',
  legalIdNumber: 36170503,
  phone: '+54 11 5555 0100',
  email: 'nadie@example.com',
  additionalData: [additionalData],
};

export const requester = { taxNumber: 30714979732, legalReason: 'Billetera Señal S.A.', type: 'Jurídica' };

export const naturalPerson = { ...human, owners: [], controllers: [] };

export const legalPerson = {
  taxNumber: 30707101020,
  legalReason: 'Compañía Inexistente S.R.L.',
  type: 'Jurídica',
  nationality: null,
  birthDate: '2004-07-01T00:00:00',
  legalIdType: 'CUIT',
  legalIdNumber: null,
  phone: '+54 11 5555 0101',
  email: null,
  additionalData: [additionalData],
  owners: [{ ...human, ownershipPercentage: literal('60.5'), documentData }],
  controllers: [
    {
      ...human,
      taxNumber: 20218346414,
      legalReason: 'Señal Otro Inventado',
      email: null,
      rol: 'Presidente',
      documentData,
    },
  ],
};
