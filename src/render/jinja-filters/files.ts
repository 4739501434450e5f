// Filters that read files: their content, the files below a directory, the path of a program.

import { isUtf8 } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'
import {
  assertHashable,
  isInt,
  PyError,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { joinPath, type NativeTable, native, toText, Undefined } from '../../jinja/mod.ts'
import type { FilterHost } from './host.ts'
import { onPath, unlessSystemError } from './system-error.ts'

const STAT = 'stat: path should be string, bytes, os.PathLike or integer'
const OPEN = 'expected str, bytes or os.PathLike object'
const LIST = 'listdir: path should be string, bytes, os.PathLike, integer or None'

/** A path given as text or bytes; `refusal` begins Python's error for anything else. */
function pathOf(value: Value, refusal: string): string {
  const path = value instanceof Uint8Array ? Buffer.from(value).toString() : textOf(value)
  if (path !== undefined) return path
  if (value instanceof Undefined && refusal === OPEN) value.fail()
  throw typeError(`${refusal}, not ${typeName(value).replace(/^.*\./, '')}`)
}

/** Python takes an int for an open file; a template has none but the standard streams, which are never read. */
const isDescriptor = (value: Value): boolean => isInt(value) || typeof value === 'boolean'

const isStandardStream = (value: Value): boolean => [0, 1, 2].includes(Number(value))

/** The path of a file that is to be opened; undefined for a descriptor that is not open. */
function openablePath(value: Value): string | undefined {
  if (!isDescriptor(value)) return refuseNull(pathOf(value, OPEN))
  if (isStandardStream(value)) throw typeError(`${str(value)} is not a permitted file descriptor`)
  return undefined
}

function refuseNull(path: string): string {
  if (path.includes('\0')) throw valueError('embedded null byte')
  return path
}

/** Node's names of the digests in Python's hashlib. */
const DIGESTS: Readonly<Record<string, string>> = {
  md5: 'md5',
  sha1: 'sha1',
  sha224: 'sha224',
  sha256: 'sha256',
  sha384: 'sha384',
  sha512: 'sha512',
  sha3_224: 'sha3-224',
  sha3_256: 'sha3-256',
  sha3_384: 'sha3-384',
  sha3_512: 'sha3-512',
  blake2b: 'blake2b512',
  blake2s: 'blake2s256',
}

/** Return a digest by its Python name; throw `unknown` if it does not exist. */
export function fileDigest(name: Value, unknown: (name: string) => PyError): Hash {
  const text = textOf(name)
  if (text === undefined) throw typeError(`attribute name must be string, not '${typeName(name)}'`)
  if (text === 'shake_128' || text === 'shake_256') {
    throw typeError("hexdigest() missing required argument 'length' (pos 1)")
  }
  const digest = Object.hasOwn(DIGESTS, text) ? DIGESTS[text] : undefined
  if (digest === undefined) throw unknown(text)
  return createHash(digest)
}

function fileHash(host: FilterHost, value: Value, form: Value): string {
  const hash = fileDigest(form, (name) => valueError(`Invalid hash type: ${name}`))
  const path = openablePath(value)
  if (path === undefined) throw new PyError('OSError', '[Errno 9] Bad file descriptor')
  onPath(path, () => host.readThrough(path, (piece) => hash.update(piece)))
  return hash.digest('hex')
}

/** Bytes of plain ASCII text. */
const isPlainByte = (byte: number): boolean => (byte >= 32 && byte < 127) || [8, 9, 10, 12, 13].includes(byte)

/** Whether this is UTF-8, or would be if its last character went on. */
function isUtf8Start(data: Uint8Array): boolean {
  for (let cut = 0; cut <= 3 && cut <= data.length; cut++) {
    const head = data.subarray(0, data.length - cut)
    const tail = data.subarray(data.length - cut)
    if (isUtf8(head) && (cut === 0 || (tail[0]! >= 0xc2 && tail[0]! <= 0xf4 && couldGoOn(tail)))) return true
  }
  return false
}

/** Whether the bytes are the beginning of a longer character. */
function couldGoOn(tail: Uint8Array): boolean {
  const [lead, second] = tail as unknown as [number, number | undefined]
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (tail.length >= length) return false
  if (tail.subarray(1).some((byte) => byte >> 6 !== 2)) return false
  if (second === undefined) return true
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  return lead !== 0xf4 || second < 0x90
}

/** Salt's guess: a null byte, or more than 30 % of bytes that are no text. */
function isBinary(data: Uint8Array): boolean {
  if (data.length === 0) return false
  if (data.includes(0)) return true
  const wide = isUtf8Start(data)
  const odd = data.filter((byte) => !isPlainByte(byte) && !(wide && byte >= 128 && byte < 255))
  return odd.length / data.length > 0.3
}

function isTextFile(host: FilterHost, value: Value, blockSize: Value): boolean {
  const path = openablePath(value)
  if (path === undefined) return false
  if (blockSize !== null && typeof blockSize !== 'number') {
    throw typeError(`argument should be integer or None, not '${typeName(blockSize)}'`)
  }
  return unlessSystemError(false, () => !isBinary(host.readStart(path, blockSize ?? -1)))
}

function isBinaryFile(host: FilterHost, value: Value): boolean {
  if (isDescriptor(value)) return false
  const path = pathOf(value, STAT)
  if (path.includes('\0')) return false
  return unlessSystemError(false, () => host.stat(path)?.isFile === true && isBinary(host.readStart(path, 2048)))
}

function isEmpty(host: FilterHost, value: Value): boolean {
  if (isDescriptor(value)) return isStandardStream(value)
  const path = refuseNull(pathOf(value, STAT))
  return unlessSystemError(false, () => host.stat(path)?.size === 0)
}

/** The directory and all below it; links are followed, but no directory is entered twice. */
function listFiles(host: FilterHost, value: Value): Value {
  assertHashable(value)
  if (isDescriptor(value)) return [value]
  const top = refuseNull(pathOf(value, value === null ? STAT : LIST))
  const found: Value[] = [value]
  const entered = new Set<string>()
  const walk = (directory: string): void => {
    const names = unlessSystemError<string[]>([], () => host.list(directory))
    const identity = unlessSystemError(undefined, () => host.stat(directory))?.identity
    if (identity === undefined || entered.has(identity)) return
    entered.add(identity)
    const below: string[] = []
    for (const name of names) {
      const path = directory.endsWith('/') ? directory + name : `${directory}/${name}`
      found.push(path)
      if (unlessSystemError(undefined, () => host.stat(path))?.isDirectory) below.push(path)
    }
    for (const path of below) walk(path)
  }
  walk(top)
  return found
}

const USUAL_PATHS = ['/sbin', '/bin', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']

function expandVariables(host: FilterHost, path: string): string {
  return path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (whole, bare, braced) => host.environment(bare ?? braced) ?? whole)
}

function which(host: FilterHost, value: Value): Value {
  if (!truthy(value)) return null
  const program = isDescriptor(value) ? toText(value) : pathOf(value, STAT)
  if (!program.includes('\0') && host.isExecutable(program)) return value
  const paths = (host.environment('PATH') ?? '').split(':')
  for (const path of new Set([...paths, ...USUAL_PATHS])) {
    const candidate = joinPath([expandVariables(host, path), program], new Map())
    if (!candidate.includes('\0') && host.isExecutable(candidate)) return candidate
  }
  return null
}

export function fileFilters(host: FilterHost): NativeTable {
  const binary = native('is_binary', ['path'], (_rt, path) => isBinaryFile(host, path))
  const empty = native('is_empty', ['filename'], (_rt, path) => isEmpty(host, path))
  return {
    file_hashsum: native('get_hash', ['path', 'form?', 'chunk_size?'], (_rt, path, form = 'sha256') =>
      fileHash(host, path, form),
    ),
    is_text_file: native('is_text', ['fp_', 'blocksize?'], (_rt, path, size = 512) => isTextFile(host, path, size)),
    is_bin_file: binary,
    is_empty: empty,
    // their names in Salt 2017.7
    is_binary_file: binary,
    is_empty_file: empty,
    list_files: native('list_files', ['directory'], (_rt, directory) => listFiles(host, directory)),
    which: native('which', ['exe?'], (_rt, program = null) => which(host, program)),
    get_uid: native('get_uid', ['user?'], (_rt, user = null) => {
      if (user === null) return host.userId() ?? null
      const name = textOf(user)
      if (name === undefined) throw typeError(`getpwnam() argument must be str, not ${typeName(user)}`)
      return host.userIdOf(refuseNull(name)) ?? null
    }),
  }
}
