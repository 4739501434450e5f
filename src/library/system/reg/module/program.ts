// The Windows registry through reg.exe: its output, and the conversion of data.
import { lookup } from '../../../../base/mod.ts'
import { decodeBytes, failure, intFromText, isDict, isList, str, type Value } from '../../../../data/mod.ts'
import { type CommandOutcome, type FunctionContext, runAll } from '../../../../sdk/mod.ts'

const HIVES: Readonly<Record<string, string>> = lookup({
  HKEY_CURRENT_CONFIG: 'HKEY_CURRENT_CONFIG',
  HKEY_CLASSES_ROOT: 'HKEY_CLASSES_ROOT',
  HKEY_CURRENT_USER: 'HKEY_CURRENT_USER',
  HKEY_LOCAL_MACHINE: 'HKEY_LOCAL_MACHINE',
  HKEY_USERS: 'HKEY_USERS',
  HKCC: 'HKEY_CURRENT_CONFIG',
  HKCR: 'HKEY_CLASSES_ROOT',
  HKCU: 'HKEY_CURRENT_USER',
  HKLM: 'HKEY_LOCAL_MACHINE',
  HKU: 'HKEY_USERS',
})

export interface Place {
  hive: string
  key: string
  /** Whether to use the registry of 32-bit programs. */
  narrow: boolean
}

export const hiveName = (hive: string): string => {
  const name = HIVES[hive]
  if (name === undefined) throw failure(`Invalid Hive: ${hive}`)
  return name
}

export const pathOf = ({ hive, key }: Place): string => (key === '' ? hiveName(hive) : `${hiveName(hive)}\\${key}`)

export function reg(ctx: FunctionContext, verb: string, place: Place, ...words: string[]): Promise<CommandOutcome> {
  const options = { ignore_retcode: true }
  return runAll(ctx, ['reg', verb, pathOf(place), ...words, `/reg:${place.narrow ? 32 : 64}`], options)
}

export interface Entry {
  name: string
  type: string
  data: Value
}

/** Parse the values in the output of `reg query`. */
export function entriesIn(output: string): Entry[] {
  const found: Entry[] = []
  for (const line of output.split(/\r?\n/)) {
    const match = /^ {4}(.*?) {4}(REG_[A-Z_]+)(?: {4}(.*))?$/.exec(line)
    if (match) found.push({ name: match[1]!, type: match[2]!, data: dataOf(match[2]!, match[3] ?? '') })
  }
  return found
}

function dataOf(type: string, text: string): Value {
  if (type === 'REG_DWORD' || type === 'REG_QWORD') return Number(text)
  if (type === 'REG_MULTI_SZ') return text === '' ? [] : text.split('\\0')
  if (type === 'REG_BINARY') return new Uint8Array((text.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)))
  return text
}

/** Return the keys in the output of `reg query`. */
export const keysIn = (output: string): string[] => output.split(/\r?\n/).filter((line) => line.startsWith('HKEY_'))

const asText = (value: Value): string =>
  value === null ? '' : value instanceof Uint8Array ? decodeBytes(value, 'utf-8') : str(value)

/** Convert data to its type. */
export function cast(data: Value, type: string): Value {
  if (type === 'REG_BINARY') return typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (type === 'REG_MULTI_SZ') return (isList(data) ? data : [data]).map(asText)
  if (type === 'REG_DWORD' || type === 'REG_QWORD') return typeof data === 'string' ? intFromText(data, 10) : data
  return asText(data)
}

/** Convert data to text for a command line. */
export function shown(data: Value): string {
  if (data instanceof Uint8Array) return Buffer.from(data).toString('hex')
  if (isList(data)) return data.map(str).join('\\0')
  return isDict(data) ? '' : str(data)
}
