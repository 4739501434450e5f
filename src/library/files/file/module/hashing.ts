// Hashes of files, and the notations of `source_hash`: a hash, `type=hash`, or a file of hashes.
import { getHashes } from 'node:crypto'
import {
  compileRegex,
  type Dict,
  decodeBytes,
  failure,
  misuse,
  PyError,
  redactUrl,
  reEscape,
  type SaltError,
  schemeOf,
  strip,
  textOf,
  truthy,
  urlParts,
  VALID_PROTOCOLS,
  type Value,
} from '../../../../data/mod.ts'
import { baseName, type FunctionContext, plainPath } from '../../../../sdk/mod.ts'
import type { FileRequest } from '../managed-request.ts'
import { type SignatureRequest, verifySignature } from './signatures.ts'

const HASHES: ReadonlyMap<string, number> = new Map([
  ['sha512', 128],
  ['sha384', 96],
  ['sha256', 64],
  ['sha224', 56],
  ['sha1', 40],
  ['md5', 32],
])

const BY_LENGTH: ReadonlyMap<number, string> = new Map([...HASHES].map(([name, length]) => [length, name]))

const SUPPORTED = [...BY_LENGTH]
  .sort(([a], [b]) => a - b)
  .map(([length, name]) => `${name} (${length})`)
  .join(', ')

export async function hashFile(ctx: FunctionContext, path: string, algorithm = 'sha256'): Promise<string> {
  const name = { blake2b: 'blake2b512', blake2s: 'blake2s256' }[algorithm] ?? algorithm.replace(/^sha3_/, 'sha3-')
  if (!/^[a-z0-9_]+$/.test(algorithm) || !getHashes().includes(name)) {
    throw new PyError('ValueError', `Invalid hash type: ${algorithm}`)
  }
  return ctx.host.hash(path, name)
}

export interface HashSum {
  hsum: string
  hash_type: string
}

export const sumDict = ({ hsum, hash_type }: HashSum, typeFirst = false): Dict =>
  new Map<Value, Value>(
    typeFirst
      ? [
          ['hash_type', hash_type],
          ['hsum', hsum],
        ]
      : [
          ['hsum', hsum],
          ['hash_type', hash_type],
        ],
  )

/** Return whether a file has a hash, written as `type=hash`, `type:hash` or the hash alone. */
export async function checkHash(ctx: FunctionContext, path: string, fileHash: Value): Promise<boolean> {
  const text = textOf(fileHash)
  if (text === undefined) throw misuse('hash must be a string')
  const separator = [':', '='].find((char) => text.includes(char))
  if (separator !== undefined) {
    const at = text.indexOf(separator)
    return (await hashFile(ctx, path, text.slice(0, at))) === text.slice(at + 1)
  }
  const type = BY_LENGTH.get(text.length)
  if (type === undefined) {
    throw misuse(
      `Hash ${text} (length: ${text.length}) could not be matched to a supported hash type. ` +
        `The supported hash types and lengths are: ${SUPPORTED}`,
    )
  }
  return (await hashFile(ctx, path, type)) === text
}

function invalidFormat(sourceHash: string): SaltError {
  return failure(
    `Source hash ${redactUrl(sourceHash)} format is invalid. The supported formats are: ` +
      '1) a hash, 2) an expression in the format <hash_type>=<hash>, or ' +
      '3) either a path to a local file containing hashes, or a URI of ' +
      'a remote hash file. Supported protocols for remote hash files ' +
      `are: ${VALID_PROTOCOLS.join(', ')}. The hash may also not be of a valid length, the ` +
      `following are supported hash types and lengths: ${SUPPORTED}.`,
  )
}

type SourceHashRequest = SignatureRequest & Pick<FileRequest, 'source_hash' | 'source_hash_name' | 'source_hash_sig'>

/** Return the hash that `source_hash` gives for a source and its target. */
export async function sourceSum(
  ctx: FunctionContext,
  target: string,
  source: string,
  request: SourceHashRequest,
): Promise<HashSum> {
  const text = plainPath(request.source_hash)
  const file = text.startsWith('/') ? text : await hashList(ctx, text, request)
  if (file === undefined) return hashExpression(text)
  const found = await extractHash(ctx, file, { target, source, listedName: request.source_hash_name })
  if (found === undefined) throw invalidFormat(text)
  return { ...found, hsum: found.hsum.toLowerCase() }
}

/** Fetch a file of hashes and verify its signature; return undefined when the text is no URL. */
async function hashList(ctx: FunctionContext, url: string, request: SourceHashRequest): Promise<string | undefined> {
  const scheme = schemeOf(url)
  if (!VALID_PROTOCOLS.includes(scheme)) {
    if (scheme !== '') throw invalidFormat(url)
    return undefined
  }
  const { saltenv, verify_ssl, source_hash_sig } = request
  const path = await ctx.call('cp.cache_file', [url, saltenv], { verify_ssl })
  if (!path) throw failure(`Source hash file ${redactUrl(url)} not found`)
  if (truthy(source_hash_sig)) await verifySignature(ctx, path, source_hash_sig, request)
  return path
}

function hashExpression(text: string): HashSum {
  const at = text.indexOf('=')
  if (at < 0) {
    const type = BY_LENGTH.get(text.length)
    if (!/^[0-9a-fA-F]+\n?$/.test(text) || type === undefined) throw invalidFormat(text)
    return { hash_type: type, hsum: text.toLowerCase() }
  }
  const [hash_type, hsum] = [strip(text.slice(0, at)), strip(text.slice(at + 1))]
  const length = HASHES.get(hash_type)
  if (length === undefined) {
    throw failure(
      `Invalid hash type '${hash_type}'. Supported hash types are: ${[...HASHES.keys()].join(', ')}. ` +
        `Either remove the hash type and simply use '${hsum}' as the ` +
        'source_hash, or change the hash type to a supported type.',
    )
  }
  const fitting = BY_LENGTH.get(hsum.length)
  if (fitting === undefined) throw invalidFormat(text)
  if (hsum.length !== length) {
    throw failure(
      `Invalid length (${hsum.length}) for hash type '${hash_type}'. Either remove the hash type and simply use ` +
        `'${hsum}' as the source_hash, or change the hash type to '${fitting}'`,
    )
  }
  return { hash_type, hsum: hsum.toLowerCase() }
}

interface ListedFile {
  hashType?: string
  target: string
  source: string
  listedName: string | null
}

const BLANKS = ' \t\n\r\v\f'

/** How a line in a file of hashes may name a file: at its end after a separator, or at its start. */
interface Wanted {
  ending: string
  beginning: string
  separators: string
}

/** Return the hash in a file of hashes: by `source_hash_name`, by the target, by the source, or else the first. */
export async function extractHash(
  ctx: FunctionContext,
  file: string,
  { hashType = '', target, source, listedName }: ListedFile,
): Promise<HashSum | undefined> {
  const length = HASHES.get(hashType)
  const pattern = compileRegex(`(?i)(?<![a-z0-9])([a-f0-9]{${length ?? '32,128'}})(?![a-z0-9])`)
  const wanted: Wanted[] = []
  if (listedName) wanted.push({ ending: listedName, beginning: listedName, separators: BLANKS })
  const separators = `${BLANKS}\\/*`
  if (target !== '') wanted.push({ ending: baseName(target), beginning: target, separators })
  if (source !== '') wanted.push({ ending: sourceName(source), beginning: source, separators })
  const found: Array<HashSum | undefined> = wanted.map(() => undefined)
  let first: HashSum | undefined
  for (const raw of decodeBytes(await ctx.host.read(file)).split(/\r\n|\r|\n/)) {
    const line = strip(raw)
    const hsum = pattern.search(line)?.group(1)
    const type = hsum ? BY_LENGTH.get(hsum.length) : undefined
    if (!hsum || type === undefined) continue
    const sum = { hsum, hash_type: type }
    first ??= sum
    for (const [index, names] of wanted.entries()) if (isNamed(line, names)) found[index] ??= sum
  }
  return found.find((sum) => sum !== undefined) ?? first
}

function sourceName(source: string): string {
  const { path, netloc } = urlParts(source)
  return baseName(path || netloc)
}

function isNamed(line: string, { ending, beginning, separators }: Wanted): boolean {
  if (!line.endsWith(ending)) return compileRegex(`${reEscape(beginning)}\\s+`).match(line) !== null
  const before = line[line.length - ending.length - 1]
  return before !== undefined && separators.includes(before)
}
