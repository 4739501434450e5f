// Salt's filters on dicts: changing one place by its path, comparing, entries, and tables of a MySQL client.
import {
  appendDictKeyValue,
  compareDicts,
  type Dict,
  dictSet,
  extendDictKeyValue,
  getItem,
  isDict,
  isIterable,
  isList,
  iterate,
  type KeyPathOptions,
  PyError,
  SaltError,
  setDictKeyValue,
  strip,
  Tuple,
  textOf,
  traverse,
  truthy,
  typeError,
  typeName,
  updateDictKeyValue,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { noAttribute } from '../../filters/argument.ts'
import { type NativeFunction, type NativeTable, native } from '../../runtime/native.ts'
import { type EncodeOptions, encodeEntries, encodeItems } from '../encode-data.ts'
import { toNum } from './numbers.ts'

type KeyPathChange = (dict: Value, keys: Value, value: Value, options: KeyPathOptions) => Value

/** A filter that changes the dict it is given, at a path. */
function keyPathFilter(name: string, change: KeyPathChange): NativeFunction {
  return native(
    name,
    ['in_dict', 'keys', 'value', 'delimiter?', 'ordered_dict?'],
    (_rt, dict, keys, value, delimiter = ':', ordered = false) =>
      change(dict, keys, value, { delimiter, ordered: truthy(ordered) }),
  )
}

const change = (firstKey: string, first: Value, secondKey: string, second: Value): Dict =>
  new Map([
    [firstKey, first],
    [secondKey, second],
  ])

function toEntries(data: Value): Value {
  if (isDict(data)) return Array.from(data, ([key, value]) => change('key', key, 'value', value))
  if (isList(data)) return data.map((value, index) => change('key', index, 'value', value))
  throw new SaltError('SaltException', 'Input data must be a dict or list')
}

/** The entries of a dict or of a list of pairs, their text keys in lower case. */
function loweredEntries(entry: Value): Dict {
  const lowered: Dict = new Map()
  if (!truthy(entry)) return lowered
  const pairs: Iterable<Value> = isDict(entry) ? Array.from(entry, (pair) => Tuple.from(pair)) : iterate(entry)
  for (const pair of pairs) {
    if (!isIterable(pair)) throw typeError(`cannot unpack non-iterable ${typeName(pair)} object`)
    const parts = [...iterate(pair)]
    if (parts.length < 2) throw valueError(`not enough values to unpack (expected 2, got ${parts.length})`)
    if (parts.length > 2) throw valueError('too many values to unpack (expected 2)')
    dictSet(lowered, textOf(parts[0]!)?.toLowerCase() ?? parts[0]!, parts[1]!)
  }
  return lowered
}

function fromEntries(entries: Value): Value {
  const dict: Dict = new Map()
  for (const entry of iterate(entries)) {
    const lowered = loweredEntries(entry)
    const key = [lowered.get('key'), lowered.get('name')].find((name) => name !== undefined && truthy(name))
    if (key !== undefined) dictSet(dict, key, lowered.get('value') ?? null)
  }
  return dict
}

/** Rows of a `mysql` table by the value of one column; the first row that is no rule names the columns. */
function mysqlToDict(data: Value, key: Value): Value {
  const rows: Dict = new Map()
  let headers: string[] = []
  for (const line of iterate(data)) {
    if (!truthy(line)) continue
    const text = textOf(line) ?? noAttribute(line, 'startswith')
    if (text.startsWith('+')) continue
    const cells = text.split('|').map((cell) => strip(cell))
    if (headers.length <= 1) {
      headers = cells
      continue
    }
    const row: Dict = new Map()
    for (let i = 1; i < headers.length - 1; i++) {
      const cell = cells[i]
      if (cell === undefined) throw new PyError('IndexError', 'list index out of range')
      row.set(headers[i]!, toNum(cell))
    }
    dictSet(rows, getItem(row, key), row)
  }
  return rows
}

function encodeFilter(name: string, encode: (data: Value, options: EncodeOptions) => Value): NativeFunction {
  const options = ['encoding?', 'errors?', 'keep?', 'preserve_dict_class?', 'preserve_tuples?']
  return native(
    name,
    ['data', ...options],
    (_rt, data, encoding = null, errors = 'strict', keep = false, _class = false, preserveTuples = false) =>
      encode(data, { encoding, errors, keep: truthy(keep), preserveTuples: truthy(preserveTuples) }),
  )
}

export const dictFilters: NativeTable = {
  set_dict_key_value: keyPathFilter('set_dict_key_value', setDictKeyValue),
  update_dict_key_value: keyPathFilter('update_dict_key_value', updateDictKeyValue),
  append_dict_key_value: keyPathFilter('append_dict_key_value', appendDictKeyValue),
  extend_dict_key_value: keyPathFilter('extend_dict_key_value', extendDictKeyValue),
  traverse: native(
    'traverse_dict_and_list',
    ['data', 'key', 'default?', 'delimiter?'],
    (_rt, data, key, fallback = null, delimiter = ':') => traverse(data, key, { default: fallback, delimiter }),
  ),
  compare_dicts: native('compare_dicts', ['old?', 'new?'], (_rt, old = null, fresh = null) => compareDicts(old, fresh)),
  to_entries: native('to_entries', ['data'], (_rt, data) => toEntries(data)),
  from_entries: native('from_entries', ['entries'], (_rt, entries) => fromEntries(entries)),
  mysql_to_dict: native('mysql_to_dict', ['data', 'key'], (_rt, data, key) => mysqlToDict(data, key)),
  json_encode_dict: encodeFilter('encode_dict', encodeEntries),
  json_decode_dict: encodeFilter('encode_dict', encodeEntries),
  json_encode_list: encodeFilter('encode_list', encodeItems),
  json_decode_list: encodeFilter('encode_list', encodeItems),
}
