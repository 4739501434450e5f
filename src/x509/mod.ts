// X.509: certificates, requests, revocation lists, and keys, in DER and PEM.
export {
  certificateChanges,
  listChanges,
  type Options,
  planCertificate,
  planRequest,
  planRevocationList,
  requestChanges,
  withPolicy,
  withShortNames,
} from './build.ts'
export { keyIdentifier } from './build-extensions.ts'
export { type Bytes, explicit, integer, octets, oid, sameBytes, sequence, set } from './der.ts'
export {
  type Certificate,
  isSignedBy,
  keyKind,
  publicBytes,
  type RevocationList,
  type SigningRequest,
  signCertificate,
  signRequest,
  signRevocationList,
} from './documents.ts'
export {
  isPem,
  LoadError,
  type LoadFault,
  loadCertificate,
  loadPrivateKey,
  loadPublicKey,
  loadRequest,
  loadRevocationList,
  toPem,
} from './load.ts'
export { type Attribute, type DistinguishedName, encodeName, nameText } from './names.ts'
export { digestOf, EXTENSIONS, NAME_ATTRIBUTES, signatureName } from './oids.ts'
export { decimalToHex, prettyHex, renderEntryExtensions, renderExtensions } from './render-extensions.ts'
export { shownTime } from './shown-time.ts'
