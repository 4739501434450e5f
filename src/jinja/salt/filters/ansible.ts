// Filters with Ansible's names, for authors who know both. Salt has none of these names. If Salt has the filter under
// another name, that one is used.
import { createHash, getHashes } from 'node:crypto'
import {
  type Dict,
  dictGet,
  dictSet,
  isDict,
  isList,
  iterate,
  PyError,
  str,
  strip,
  type Tuple,
  textOf,
  truthy,
  tuple,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { dump } from '../../../yaml/mod.ts'
import { Markup } from '../../runtime/markup.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import { Undefined } from '../../runtime/undefined.ts'
import { strict } from '../strict-undefined.ts'
import { toBytes } from '../text-bytes.ts'
import { hashFilters } from './hashes.ts'
import { compiled, subjectText } from './patterns.ts'
import { serializeFilters } from './serialize.ts'

const TRUE = new Set(['yes', 'on', '1', 'true', 'y', 't'])

/** None stays None; a text is true only if it is one of the words for true. */
function bool(value: Value): Value {
  if (value === null || typeof value === 'boolean') return value
  return TRUE.has(strip(textOf(value) ?? str(value)).toLowerCase())
}

function hash(value: Value, algorithm: Value): string {
  const name = str(algorithm).toLowerCase().replace(/^sha-/, 'sha')
  if (!getHashes().includes(name)) throw valueError(`unsupported hash type ${str(algorithm)}`)
  return createHash(name).update(toBytes(value)).digest('hex')
}

function ternary(value: Value, yes: Value, no: Value, none: Value): Value {
  if (value === null && none !== null) return none
  return truthy(value) ? yes : no
}

/** Return the start of the last part of a path. */
const lastPart = (path: string): number => path.lastIndexOf('/') + 1

function pathText(value: Value): string {
  const text = textOf(value)
  if (text === undefined) throw typeError(`expected str, bytes or os.PathLike object, not ${typeName(value)}`)
  return text
}

/** `os.path.dirname`. */
function dirname(path: string): string {
  const head = path.slice(0, lastPart(path))
  return /[^/]/.test(head) ? head.replace(/\/+$/, '') : head
}

/** `os.path.splitext`: dots at the beginning of a name part nothing off. */
function splitExtension(path: string): Tuple {
  const start = lastPart(path) + /^\.*/.exec(path.slice(lastPart(path)))![0].length
  const dot = path.lastIndexOf('.')
  return dot > start ? tuple([path.slice(0, dot), path.slice(dot)]) : tuple([path, ''])
}

const LIST_MERGES = ['replace', 'keep', 'append', 'prepend']

/** Merge dicts from left to right; lists are replaced, unless `append`, `prepend` or `keep` says otherwise. */
function combine(first: Value, others: readonly Value[], recursive: Value, listMerge: Value): Value {
  const how = str(listMerge)
  if (!LIST_MERGES.includes(how)) {
    throw valueError(`'list_merge' in the combine filter must be one of ${LIST_MERGES.join(', ')}, not ${how}`)
  }
  const dicts = [first, ...others].flatMap((item) => (isList(item) ? [...item] : [item]))
  for (const item of dicts) {
    if (!isDict(item)) throw typeError(`the combine filter expects dicts, not '${typeName(item)}'`)
  }
  return (dicts as Dict[]).reduce((all, one) => combined(all, one, truthy(recursive), how), new Map())
}

function combined(first: Dict, second: Dict, isRecursive: boolean, how: string): Dict {
  const all: Dict = new Map(first)
  for (const [key, value] of second) {
    const known = dictGet(all, key)
    if (known === undefined) dictSet(all, key, value)
    else if (isDict(known) && isDict(value) && isRecursive) dictSet(all, key, combined(known, value, true, how))
    else if (isList(known) && isList(value)) dictSet(all, key, combinedLists(known, value, how))
    else dictSet(all, key, value)
  }
  return all
}

function combinedLists(known: readonly Value[], value: readonly Value[], how: string): Value[] {
  if (how === 'keep') return [...known]
  if (how === 'append') return [...known, ...value]
  return how === 'prepend' ? [...value, ...known] : [...value]
}

function toItems(value: Value, keyName: Value, valueName: Value): Value {
  if (!isDict(value)) throw typeError(`dict2items requires a dictionary, got ${typeName(value)} instead`)
  return [...value].map(
    ([key, item]) =>
      new Map<Value, Value>([
        [keyName, key],
        [valueName, item],
      ]),
  )
}

function fromItems(value: Value, keyName: Value, valueName: Value): Dict {
  const all: Dict = new Map()
  for (const item of iterate(value)) {
    if (!isDict(item) || !item.has(keyName) || !item.has(valueName)) {
      const wanted = `dicts with the keys '${str(keyName)}' and '${str(valueName)}'`
      throw typeError(`items2dict requires a list of ${wanted}, got ${str(item)} in it`)
    }
    dictSet(all, item.get(keyName)!, item.get(valueName)!)
  }
  return all
}

/** YAML in block style, with a last line break left out. */
const blockYaml = (value: Value, indent: number): Markup =>
  new Markup(strip(dump(value, { default_flow_style: false, indent })).replace(/\n\.\.\.$/, ''))

function mandatory(value: Value, message: Value): Value {
  if (!(value instanceof Undefined)) return value
  if (message === null) return value.fail()
  throw new PyError('ValueError', str(message))
}

/** `str.split`. */
function split(value: Value, separator: Value): Value {
  const text = textOf(value)
  if (text === undefined) throw typeError(`the split filter expects text, not '${typeName(value)}'`)
  if (separator === null) return strip(text) === '' ? [] : strip(text).split(/\s+/)
  const at = textOf(separator)
  if (at === undefined) throw typeError(`must be str or None, not ${typeName(separator)}`)
  if (at === '') throw valueError('empty separator')
  return text.split(at)
}

/** Filters of Salt under Ansible's names. */
const ALIASES: NativeTable = {
  b64encode: hashFilters['base64_encode']!,
  b64decode: hashFilters['base64_decode']!,
  checksum: hashFilters['sha1']!,
  from_json: serializeFilters['load_json']!,
  from_yaml: serializeFilters['load_yaml']!,
  to_json: serializeFilters['json']!,
}

export const ansibleFilters: NativeTable = {
  ...ALIASES,
  to_nice_json: strict(
    native('to_nice_json', ['value', 'indent?', 'sort_keys?'], (rt, value, indent = 4, sort = true) =>
      serializeFilters['json']!.invoke(rt, [value, sort, indent]),
    ),
  ),
  to_yaml: strict(native('to_yaml', ['value'], (_rt, value) => blockYaml(value, 2))),
  to_nice_yaml: strict(
    native('to_nice_yaml', ['value', 'indent?'], (_rt, value, indent = 4) => blockYaml(value, Number(indent))),
  ),
  bool: native('bool', ['value'], (_rt, value) => bool(value)),
  hash: native('hash', ['value', 'hashtype?'], (_rt, value, algorithm = 'sha1') => hash(value, algorithm)),
  ternary: native('ternary', ['value', 'true_val', 'false_val', 'none_val?'], (_rt, value, yes, no, none = null) =>
    ternary(value, yes, no, none),
  ),
  basename: native('basename', ['path'], (_rt, path) => pathText(path).slice(lastPart(pathText(path)))),
  dirname: native('dirname', ['path'], (_rt, path) => dirname(pathText(path))),
  splitext: native('splitext', ['path'], (_rt, path) => splitExtension(pathText(path))),
  combine: native(
    'combine',
    ['value', '*others', 'recursive?', 'list_merge?'],
    (_rt, value, others, recursive = false, listMerge = 'replace') => combine(value, others, recursive, listMerge),
  ),
  dict2items: native(
    'dict2items',
    ['value', 'key_name?', 'value_name?'],
    (_rt, value, keyName = 'key', valueName = 'value') => toItems(value, keyName, valueName),
  ),
  items2dict: native(
    'items2dict',
    ['value', 'key_name?', 'value_name?'],
    (_rt, value, keyName = 'key', valueName = 'value') => fromItems(value, keyName, valueName),
  ),
  mandatory: native('mandatory', ['value', 'msg?'], (_rt, value, message = null) => mandatory(value, message)),
  regex_findall: native(
    'regex_findall',
    ['value', 'regex', 'multiline?', 'ignorecase?'],
    (_rt, value, pattern, multiline = false, ignoreCase = false) => {
      const matching = compiled(pattern, ignoreCase, multiline)
      return matching.regex.findall(subjectText(value, matching))
    },
  ),
  split: native('split', ['value', 'separator?'], (_rt, value, separator = null) => split(value, separator)),
}
