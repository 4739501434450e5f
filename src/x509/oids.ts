// Object identifiers by their names in Salt's options and reports.

/** Parts of distinguished names, in encoding order. */
export const NAME_ATTRIBUTES = {
  C: '2.5.4.6',
  ST: '2.5.4.8',
  L: '2.5.4.7',
  STREET: '2.5.4.9',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  CN: '2.5.4.3',
  MAIL: '1.2.840.113549.1.9.1',
  SN: '2.5.4.4',
  GN: '2.5.4.42',
  UID: '0.9.2342.19200300.100.1.1',
  SERIALNUMBER: '2.5.4.5',
} as const

/** Names in texts of distinguished names (RFC 4514); other parts go by their number. */
export const RFC4514_NAMES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  C: '2.5.4.6',
  STREET: '2.5.4.9',
  DC: '0.9.2342.19200300.100.1.25',
  UID: '0.9.2342.19200300.100.1.1',
}

/** Older, longer names of options. */
export const LONG_NAMES: Readonly<Record<string, readonly string[]>> = {
  CN: ['commonName'],
  L: ['localityName'],
  ST: ['stateOrProvinceName'],
  O: ['organizationName'],
  OU: ['organizationUnitName'],
  GN: ['givenName'],
  SN: ['surname'],
  MAIL: ['Email', 'emailAddress'],
  SERIALNUMBER: ['serialNumber'],
  basicConstraints: ['X509v3 Basic Constraints'],
  keyUsage: ['X509v3 Key Usage'],
  extendedKeyUsage: ['X509v3 Extended Key Usage'],
  subjectKeyIdentifier: ['X509v3 Subject Key Identifier'],
  authorityKeyIdentifier: ['X509v3 Authority Key Identifier'],
  issuerAltName: ['X509v3 Issuer Alternative Name', 'issuserAltName'],
  authorityInfoAccess: ['Authority Information Access'],
  subjectAltName: ['X509v3 Subject Alternative Name'],
  crlDistributionPoints: ['X509v3 CRL Distribution Points'],
  issuingDistributionPoint: ['X509v3 Issuing Distribution Point'],
  certificatePolicies: ['X509v3 Certificate Policies'],
  policyConstraints: ['X509v3 Policy Constraints'],
  inhibitAnyPolicy: ['X509v3 Inhibit Any Policy'],
  nameConstraints: ['X509v3 Name Constraints'],
  noCheck: ['OCSP No Check'],
  tlsfeature: ['TLS Feature'],
  nsComment: ['Netscape Comment'],
  nsCertType: ['Netscape Certificate Type'],
  cRLNumber: ['X509v3 CRLNumber'],
  deltaCRLIndicator: ['X509v3 Delta CRL Indicator'],
  freshestCRL: ['x509v3 Freshest CRL'],
}

/** In the order in which they are encoded and reported. */
export const EXTENSIONS: Readonly<Record<string, string>> = {
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyIdentifier: '2.5.29.14',
  authorityKeyIdentifier: '2.5.29.35',
  issuerAltName: '2.5.29.18',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  subjectAltName: '2.5.29.17',
  crlDistributionPoints: '2.5.29.31',
  issuingDistributionPoint: '2.5.29.28',
  certificatePolicies: '2.5.29.32',
  policyConstraints: '2.5.29.36',
  inhibitAnyPolicy: '2.5.29.54',
  nameConstraints: '2.5.29.30',
  noCheck: '1.3.6.1.5.5.7.48.1.5',
  tlsfeature: '1.3.6.1.5.5.7.1.24',
  nsComment: '2.16.840.1.113730.1.13',
  nsCertType: '2.16.840.1.113730.1.1',
  cRLNumber: '2.5.29.20',
  deltaCRLIndicator: '2.5.29.27',
  freshestCRL: '2.5.29.46',
}

export const ENTRY_EXTENSIONS: Readonly<Record<string, string>> = {
  certificateIssuer: '2.5.29.29',
  CRLReason: '2.5.29.21',
  invalidityDate: '2.5.29.24',
}

/** Different names of extensions in reports of changes. */
const REPORTED: Readonly<Record<string, string>> = {
  '2.5.29.31': 'cRLDistributionPoints',
  '1.3.6.1.5.5.7.48.1.5': 'OCSPNoCheck',
  '1.3.6.1.5.5.7.1.24': 'TLSFeature',
  '2.5.29.21': 'cRLReason',
}

const BY_OID = new Map([...Object.entries(EXTENSIONS), ...Object.entries(ENTRY_EXTENSIONS)].map(([k, v]) => [v, k]))

export const extensionName = (oid: string): string => REPORTED[oid] ?? BY_OID.get(oid) ?? 'Unknown OID'

export const KEY_PURPOSES: Readonly<Record<string, string>> = {
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  codeSigning: '1.3.6.1.5.5.7.3.3',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  OCSPSigning: '1.3.6.1.5.5.7.3.9',
  msSmartcardLogin: '1.3.6.1.4.1.311.20.2.2',
  pkInitKDC: '1.3.6.1.5.2.3.5',
  ipsecIKE: '1.3.6.1.5.5.7.3.17',
  msCodeInd: '1.3.6.1.4.1.311.2.1.21',
  msCodeCom: '1.3.6.1.4.1.311.2.1.22',
  msCTLSign: '1.3.6.1.4.1.311.10.3.1',
  msEFS: '1.3.6.1.4.1.311.10.3.4',
}

/** Purposes that reports have a name for. */
const NAMED_PURPOSES =
  'serverAuth clientAuth codeSigning emailProtection timeStamping OCSPSigning msSmartcardLogin pkInitKDC'
export const PURPOSE_NAMES = new Map(NAMED_PURPOSES.split(' ').map((name) => [KEY_PURPOSES[name]!, name]))

export const ACCESS_METHODS: Readonly<Record<string, string>> = {
  OCSP: '1.3.6.1.5.5.7.48.1',
  caIssuers: '1.3.6.1.5.5.7.48.2',
  caRepository: '1.3.6.1.5.5.7.48.5',
}

/** By digest: first with an RSA key, then with an elliptic-curve key. */
const SIGNATURES: Readonly<Record<string, readonly [rsa: string, ec: string]>> = {
  sha1: ['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'],
  sha224: ['1.2.840.113549.1.1.14', '1.2.840.10045.4.3.1'],
  sha256: ['1.2.840.113549.1.1.11', '1.2.840.10045.4.3.2'],
  sha384: ['1.2.840.113549.1.1.12', '1.2.840.10045.4.3.3'],
  sha512: ['1.2.840.113549.1.1.13', '1.2.840.10045.4.3.4'],
  'sha3-224': ['2.16.840.1.101.3.4.3.13', '2.16.840.1.101.3.4.3.9'],
  'sha3-256': ['2.16.840.1.101.3.4.3.14', '2.16.840.1.101.3.4.3.10'],
  'sha3-384': ['2.16.840.1.101.3.4.3.15', '2.16.840.1.101.3.4.3.11'],
  'sha3-512': ['2.16.840.1.101.3.4.3.16', '2.16.840.1.101.3.4.3.12'],
}

export const signatureOid = (digest: string, kind: 'rsa' | 'ec'): string | undefined =>
  SIGNATURES[digest]?.[kind === 'rsa' ? 0 : 1]

export const digestOf = (signature: string): string | undefined =>
  Object.keys(SIGNATURES).find((digest) => SIGNATURES[digest]!.includes(signature))

const EDWARDS: Readonly<Record<string, string>> = { '1.3.101.112': 'ed25519', '1.3.101.113': 'ed448' }

/** Return the name of a signature algorithm in reports. */
export function signatureName(oid: string): string {
  const digest = digestOf(oid)
  if (EDWARDS[oid] !== undefined) return EDWARDS[oid]!
  if (digest === undefined || digest.startsWith('sha3')) return 'Unknown OID'
  return oid === SIGNATURES[digest]![0] ? `${digest}WithRSAEncryption` : `ecdsa-with-${digest.toUpperCase()}`
}

/** Why a certificate was revoked; the index is the code. */
export const REASONS = [
  ...['unspecified', 'keyCompromise', 'cACompromise', 'affiliationChanged', 'superseded', 'cessationOfOperation'],
  ...['certificateHold', '', 'removeFromCRL', 'privilegeWithdrawn', 'aACompromise'],
]

/** Reasons as bits of a distribution point. */
export const REASON_BITS = [
  ...['', 'keyCompromise', 'cACompromise', 'affiliationChanged', 'superseded', 'cessationOfOperation'],
  ...['certificateHold', 'privilegeWithdrawn', 'aACompromise'],
]
