import {
  lenientBoolean,
  lenientDay,
  lenientInteger,
  lenientList,
  lenientObject,
  lenientText,
} from './lenient-fields';

/** Persons in the answer of a verification query, by bank-api. */

const person = { taxNumber: lenientText, legalReason: lenientText, type: lenientText };

const rejectedCheck = {
  amount: lenientText,
  causeCode: lenientText,
  causeDescription: lenientText,
  checkNumber: lenientText,
  judicialProcess: lenientText,
  paymentDate: lenientText,
  penaltyFeeDate: lenientText,
  rejectionDate: lenientText,
  revision: lenientText,
};

const additionalData = {
  cuitStatus: lenientText,
  address: lenientText,
  city: lenientText,
  zipCode: lenientText,
  state: lenientText,
  taxCategory: lenientText,
  mainActivityCode: lenientText,
  mainActivityDescription: lenientText,
  economicSizeCode: lenientText,
  economicSizeDescription: lenientText,
  arrears: lenientText,
  rejectedChecks: lenientList(rejectedCheck),
  debtLevelCode: lenientText,
  debtLevelDescription: lenientText,
  bcraSituation: lenientInteger,
  financialScore: lenientInteger,
};

const documentData = lenientObject({
  sample: lenientText,
  issuingDate: lenientDay,
  expirationDate: lenientDay,
  name: lenientText,
  surname: lenientText,
  addressStreet: lenientText,
  addressStreetDoor: lenientText,
  floor: lenientText,
  apt: lenientText,
  zipCode: lenientText,
  neighborhood: lenientText,
  building: lenientText,
  city: lenientText,
  State: lenientText,
  country: lenientText,
  nationality: lenientText,
  isDead: lenientBoolean,
  isDeadMessage: lenientText,
  transactionControlNumber: lenientText,
  typeOfTransaction: lenientText,
  dateOfTransaction: lenientText,
}).transform((data) => {
  if (data === null) return null;
  const { State: state, ...rest } = data;
  return { ...rest, state };
});

const described = {
  ...person,
  nationality: lenientText,
  birthDate: lenientDay,
  legalIdType: lenientText,
  legalIdNumber: lenientText,
  phone: lenientText,
  email: lenientText,
  additionalData: lenientList(additionalData),
};

export const requesterPerson = lenientObject(person);

export const requestedPerson = lenientObject({
  ...described,
  owners: lenientList({ ...described, ownershipPercentage: lenientText, documentData }),
  controllers: lenientList({ ...described, rol: lenientText, documentData }),
});
