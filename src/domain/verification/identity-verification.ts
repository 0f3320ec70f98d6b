/**
 * The bank's full answer to a verification query (bank-api, endpoint 5): personal data. The answer enters no history,
 * no log and no error; the journal keeps it only encrypted, and only with `KYC_STORE=encrypted`.
 *
 * Field names are the bank's. Numbers that must stay exact are their decimal text. A field that is absent, or of
 * another type than documented, is null or an empty list, so an unreadable field does not affect the others.
 */
export interface IdentityVerification {
  readonly requestId: string | null;
  readonly requestedDate: BankTime | null;
  /** The bank's status, not yet mapped. */
  readonly status: string;
  readonly statusDate: BankTime | null;
  readonly requesterPerson: Person | null;
  readonly requestedPerson: RequestedPerson | null;
  /** Not documented: kept as parsed. */
  readonly account: unknown;
  /** To load in the application's webview, or to pass to the SDK. */
  readonly url: string | null;
}

/** A time as the bank writes it, without zone and with up to seven fractional digits. */
export interface BankTime {
  readonly raw: string;
  /** ISO UTC with milliseconds, read as Buenos Aires time; null: not a time. */
  readonly at: string | null;
}

export interface Person {
  /** CUIT or CUIL: an integer on the wire, digits here. */
  readonly taxNumber: string | null;
  /** Name. */
  readonly legalReason: string | null;
  readonly type: string | null;
}

export interface DescribedPerson extends Person {
  readonly nationality: string | null;
  /** YYYY-MM-DD, the day as written; other text as it came. */
  readonly birthDate: string | null;
  readonly legalIdType: string | null;
  readonly legalIdNumber: string | null;
  readonly phone: string | null;
  readonly email: string | null;
  readonly additionalData: readonly AdditionalData[];
}

export interface RequestedPerson extends DescribedPerson {
  readonly owners: readonly Owner[];
  readonly controllers: readonly Controller[];
}

export interface Owner extends DescribedPerson {
  readonly ownershipPercentage: string | null;
  readonly documentData: DocumentData | null;
}

export interface Controller extends DescribedPerson {
  readonly rol: string | null;
  readonly documentData: DocumentData | null;
}

export interface AdditionalData {
  readonly cuitStatus: string | null;
  readonly address: string | null;
  readonly city: string | null;
  readonly zipCode: string | null;
  readonly state: string | null;
  readonly taxCategory: string | null;
  readonly mainActivityCode: string | null;
  readonly mainActivityDescription: string | null;
  readonly economicSizeCode: string | null;
  readonly economicSizeDescription: string | null;
  /** Decimal text. */
  readonly arrears: string | null;
  readonly rejectedChecks: readonly RejectedCheck[];
  readonly debtLevelCode: string | null;
  readonly debtLevelDescription: string | null;
  readonly bcraSituation: number | null;
  readonly financialScore: number | null;
}

export interface RejectedCheck {
  /** Decimal text. */
  readonly amount: string | null;
  readonly causeCode: string | null;
  readonly causeDescription: string | null;
  readonly checkNumber: string | null;
  readonly judicialProcess: string | null;
  readonly paymentDate: string | null;
  readonly penaltyFeeDate: string | null;
  readonly rejectionDate: string | null;
  readonly revision: string | null;
}

export interface DocumentData {
  readonly sample: string | null;
  readonly issuingDate: string | null;
  readonly expirationDate: string | null;
  readonly name: string | null;
  readonly surname: string | null;
  readonly addressStreet: string | null;
  readonly addressStreetDoor: string | null;
  readonly floor: string | null;
  readonly apt: string | null;
  readonly zipCode: string | null;
  readonly neighborhood: string | null;
  readonly building: string | null;
  readonly city: string | null;
  /** `State` on the wire. */
  readonly state: string | null;
  readonly country: string | null;
  readonly nationality: string | null;
  readonly isDead: boolean | null;
  readonly isDeadMessage: string | null;
  readonly transactionControlNumber: string | null;
  readonly typeOfTransaction: string | null;
  /** A numeric timestamp whose unit is not documented: digits. */
  readonly dateOfTransaction: string | null;
}
