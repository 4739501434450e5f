// The fields of an `_auth` request. They come from strangers, so each has a format and a size limit, and an invalid
// request is refused before anything is stored, computed or signed for it.
import { type Dict, isDict, isList, strip, type Value } from '../../data/mod.ts'
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING } from '../crypto/mod.ts'
import { bytesOf, dictOf, NONCE } from '../envelope.ts'
import { OFFER, speaksContext } from '../offer.ts'

/** Characters of a public key: four times the size of the largest key in use. */
const LONGEST_KEY = 16_384
/** Bytes of a token: the encrypted size for a key of 16,384 bits. */
const LONGEST_TOKEN = 2048
const LONGEST_ALGORITHM = 64
/** Bytes and values of `autosign_grains`. */
const GRAINS = { bytes: 65_536, values: 1000 }

export interface AuthRequest {
  /** Not yet checked to be a valid id. */
  id: Value | undefined
  /** The PEM of the offered key without surrounding space. */
  pub: string
  nonce: string
  token: Uint8Array | undefined
  encryption: string
  signing: string
  autosignGrains: Dict | undefined
  version: number
  /** The minion wants the reply signed with its context. */
  asksContext: boolean
}

/** The request of a load, or why it is refused. */
export function readAuthRequest(load: Dict, version: number): AuthRequest | string {
  const nonce = load.get('nonce')
  // before version 2 there is none
  if (version > 1 && !(typeof nonce === 'string' && NONCE.test(nonce))) return 'its nonce is missing or malformed'
  const pub = load.get('pub')
  if (typeof pub !== 'string' || pub.length > LONGEST_KEY) return 'its public key is missing or too long'
  const encryption = load.get('enc_algo') ?? DEFAULT_ENCRYPTION
  const signing = load.get('sig_algo') ?? DEFAULT_SIGNING
  if (!isAlgorithm(encryption) || !isAlgorithm(signing)) return 'it names an algorithm that cannot be one'
  const token = load.get('token')
  if (token !== undefined && !(lengthOf(token) <= LONGEST_TOKEN)) return 'its token is malformed or too long'
  const grains = load.get('autosign_grains')
  if (grains !== undefined && !fits(grains, { ...GRAINS })) return 'its autosign_grains are too long'
  return {
    id: load.get('id'),
    pub: strip(pub),
    nonce: typeof nonce === 'string' ? nonce : '',
    token: bytesOf(token),
    encryption,
    signing,
    autosignGrains: dictOf(grains),
    version,
    asksContext: speaksContext(load.get(OFFER)),
  }
}

const isAlgorithm = (value: Value): value is string => typeof value === 'string' && value.length <= LONGEST_ALGORITHM

/** The length of text or bytes; not a number for anything else. */
function lengthOf(value: Value): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : Number.NaN
}

/** Whether a value fits into the remaining limits, which it reduces. */
function fits(value: Value, left: { bytes: number; values: number }): boolean {
  left.values -= 1
  left.bytes -= lengthOf(value) || 0
  if (left.values < 0 || left.bytes < 0) return false
  if (isDict(value)) return [...value].every(([key, item]) => fits(key, left) && fits(item, left))
  return !isList(value) || [...value].every((item) => fits(item, left))
}
