// Signing, verification, encryption and decryption.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, isList, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { gpg, neededPassphrase, type Outcome, type Ring, type Status } from './engine.ts'

/** Return the data: a text, or the content of a file. */
async function inputOf(ctx: FunctionContext, text: Value, filename: string | null): Promise<Uint8Array> {
  if (text instanceof Uint8Array) return text
  if (truthy(text)) return Buffer.from(str(text))
  if (filename) return ctx.host.read(filename)
  throw misuse('filename or text must be passed.')
}

export interface Signing {
  keyid: string | null
  text: Value
  filename: string | null
  output: string | null
  use_passphrase: boolean
}

export async function signText(ctx: FunctionContext, ring: Ring, request: Signing): Promise<Value> {
  const passphrase = await neededPassphrase(ctx, request.use_passphrase)
  const stdin = await inputOf(ctx, request.text, request.filename)
  const key = request.keyid ? ['--default-key', request.keyid] : []
  const { stdout } = await gpg(ctx, ring, ['-sa', '--clearsign', ...key], { stdin, passphrase })
  if (!truthy(request.text) && request.output) await ctx.host.write(request.output, stdout)
  return new Uint8Array(stdout)
}

const MODELS = ['pgp', 'classic', 'tofu', 'tofu+pgp', 'direct', 'always', 'auto']
const TRUST: Readonly<Record<string, string>> = lookup({
  TRUST_UNDEFINED: 'Undefined',
  TRUST_NEVER: 'Never',
  TRUST_MARGINAL: 'Marginal',
  TRUST_FULLY: 'Fully',
  TRUST_ULTIMATE: 'Ultimate',
})
const VERDICTS: Readonly<Record<string, string>> = lookup({
  GOODSIG: 'signature good',
  VALIDSIG: 'signature valid',
  BADSIG: 'signature bad',
  ERRSIG: 'signature error',
  EXPSIG: 'signature expired',
  EXPKEYSIG: 'signing key has expired',
  REVKEYSIG: 'signing key was revoked',
})

interface Signature {
  username: string | null
  key_id: string | null
  fingerprint: string | null
  trust_level: string | null
  status: string | null
}

/** Return the signatures of a message, in gpg's order. */
export function signaturesIn(status: readonly Status[]): Signature[] {
  const found: Signature[] = []
  let current: Signature | undefined
  for (const { keyword, text } of status) {
    const words = text.split(' ')
    if (keyword === 'NEWSIG' || (current === undefined && keyword in VERDICTS)) {
      current = { username: null, key_id: null, fingerprint: null, trust_level: null, status: null }
      found.push(current)
    }
    if (current === undefined) continue
    if (keyword in VERDICTS) current.status = VERDICTS[keyword]!
    if (/^(GOOD|BAD|EXP|EXPKEY|REVKEY|ERR)SIG$/.test(keyword)) {
      current.key_id = words[0] ?? null
      if (keyword !== 'ERRSIG') current.username = words.slice(1).join(' ')
    }
    if (keyword === 'VALIDSIG') current.fingerprint = words[9] ?? words[0] ?? null
    if (keyword in TRUST) current.trust_level = TRUST[keyword]!
  }
  return found
}

export interface Verification {
  text: Value
  filename: string | null
  signature: string | null
  trustmodel: string | null
  signed_by_any: string[] | null
  signed_by_all: string[] | null
}

async function verified(ctx: FunctionContext, ring: Ring, request: Verification): Promise<Signature[]> {
  const bySigners = request.signed_by_any || request.signed_by_all
  const args = [
    ...(request.trustmodel ? ['--trust-model', request.trustmodel] : []),
    ...(bySigners ? ['--no-batch'] : []),
  ]
  const { text, filename, signature } = request
  const isDetached = !truthy(text) && filename && signature
  const outcome = isDetached
    ? await gpg(ctx, ring, ['--verify', ...args, signature, filename])
    : await gpg(ctx, ring, ['--verify', ...args, '-'], { stdin: await inputOf(ctx, text, filename) })
  return signaturesIn(outcome.status)
}

export async function verifySignature(ctx: FunctionContext, ring: Ring, request: Verification): Promise<Dict> {
  const { trustmodel } = request
  if (trustmodel && !MODELS.includes(trustmodel)) {
    const message = `Invalid trustmodel defined: ${trustmodel}. Use one of: ${MODELS.join(', ')}`
    return dictFrom({ res: false, message })
  }
  const signatures = await verified(ctx, ring, request)
  if (request.signed_by_any || request.signed_by_all) return bySigners(signatures, request)
  const trusted = signatures.findLast(({ trust_level }) => trust_level !== null)
  if (trusted === undefined) return dictFrom({ res: false, message: 'The signature could not be verified.' })
  const { username, key_id, trust_level } = trusted
  return dictFrom({ res: true, username, key_id, trust_level, message: 'The signature is verified.' })
}

const listOf = (value: Value): string[] => (truthy(value) ? (isList(value) ? value : [value]).map(str) : [])

function bySigners(signatures: readonly Signature[], request: Verification): Dict {
  const answer = (res: boolean, message: string): Dict =>
    dictFrom({ res, message, signatures: signatures.map((signature) => dictFrom({ ...signature })) })
  const hasSigned = (signer: string): boolean =>
    signatures.some(({ trust_level, fingerprint }) => trust_level !== null && fingerprint === signer)
  const any = request.signed_by_any ?? []
  if (any.length > 0 && !any.some(hasSigned)) {
    return answer(false, 'None of the public keys listed in signed_by_any provided a valid signature')
  }
  const missing = request.signed_by_all?.find((signer) => !hasSigned(signer))
  if (missing !== undefined) {
    return answer(false, `Public key ${missing} has not provided a valid signature, but was listed in signed_by_all`)
  }
  return answer(true, 'All required keys have provided a signature')
}

const STATES: Readonly<Record<string, string>> = lookup({
  NODATA: 'no data was provided',
  NEED_PASSPHRASE: 'need passphrase',
  BAD_PASSPHRASE: 'bad passphrase',
  MISSING_PASSPHRASE: 'missing passphrase',
  DECRYPTION_FAILED: 'decryption failed',
  NEED_PASSPHRASE_SYM: 'need symmetric passphrase',
  BEGIN_DECRYPTION: 'decryption incomplete',
  BEGIN_ENCRYPTION: 'encryption incomplete',
  DECRYPTION_OKAY: 'decryption ok',
  END_ENCRYPTION: 'encryption ok',
  INV_RECP: 'invalid recipient',
  KEYEXPIRED: 'key expired',
  NO_SECKEY: 'no secret key',
})

/** Return the last state of gpg; a missing key explains all later states. */
function stateOf(status: readonly Status[]): string {
  let state = ''
  for (const { keyword } of status) {
    const next = STATES[keyword]
    const isConsequence = keyword === 'DECRYPTION_FAILED' || keyword === 'BEGIN_DECRYPTION'
    if (next !== undefined && !(state === 'no secret key' && isConsequence)) state = next
  }
  return state
}

export interface Ciphering {
  text: Value
  filename: string | null
  output: string | null
  bare: boolean
}

function answered(
  ctx: FunctionContext,
  outcome: Outcome,
  { output, bare }: Ciphering,
  word: 'Encrypted' | 'Decrypted',
): Value {
  const state = stateOf(outcome.status)
  if (!state.endsWith(' ok')) {
    ctx.log('error', outcome.stderr)
    return bare ? false : dictFrom({ res: false, comment: `${state}.\nPlease check the salt-minion log.` })
  }
  const data = new Uint8Array(outcome.stdout)
  if (bare) return data
  return dictFrom({ res: true, comment: output ? `${word} data has been written to ${output}` : data })
}

const outputTo = (output: string | null): string[] => (output ? ['--yes', '--output', output] : [])

export interface Encryption extends Ciphering {
  recipients: Value
  sign: Value
  use_passphrase: boolean
  always_trust: boolean
}

export async function encryptText(ctx: FunctionContext, ring: Ring, request: Encryption): Promise<Value> {
  const passphrase = await neededPassphrase(ctx, truthy(request.sign) && request.use_passphrase)
  const stdin = await inputOf(ctx, request.text, request.filename)
  const signing = !truthy(request.sign)
    ? []
    : request.sign === true
      ? ['--sign']
      : ['--sign', '--default-key', str(request.sign)]
  const args = [
    '--encrypt',
    ...listOf(request.recipients).flatMap((recipient) => ['--recipient', recipient]),
    '--armor',
    ...outputTo(request.output),
    ...signing,
    ...(request.always_trust ? ['--always-trust'] : []),
  ]
  return answered(ctx, await gpg(ctx, ring, args, { stdin, passphrase }), request, 'Encrypted')
}

export async function decryptText(
  ctx: FunctionContext,
  ring: Ring,
  request: Ciphering & { use_passphrase: boolean },
): Promise<Value> {
  const passphrase = await neededPassphrase(ctx, request.use_passphrase)
  const stdin = await inputOf(ctx, request.text, request.filename)
  // for a text, return the message and ignore `output`
  const output = truthy(request.text) ? [] : outputTo(request.output)
  const outcome = await gpg(ctx, ring, ['--decrypt', ...output], { stdin, passphrase })
  return answered(ctx, outcome, request, 'Decrypted')
}
