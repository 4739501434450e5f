// Writes the configuration of syslog-ng from data: statements have options, options have parameters, and these may have
// a type and values.
import {
  type Dict,
  getItem,
  isDict,
  isFloat,
  isInt,
  isList,
  iterate,
  str,
  textOf,
  type Value,
} from '../../../../data/mod.ts'

const STEP = '    '
const UNNAMED = ['log', 'channel', 'junction', 'options']

type Part = (indent: string) => string

const isSimple = (value: Value): boolean =>
  textOf(value) !== undefined || isInt(value) || isFloat(value) || typeof value === 'boolean'

const only = (data: Value): [type: string, value: Value] => {
  const [type, value] = [...(data as Dict)][0] ?? ['', null]
  return [str(type), value]
}

const line =
  (value: Value): Part =>
  (indent) =>
    `${indent}${str(value)}`

/** Write `type( … )` with its content on separate lines. */
const call =
  (type: string, parts: readonly Part[], between: string, end: string): Part =>
  (indent) => {
    const body = parts.map((part) => part(indent + STEP)).join(between)
    return `${indent}${type}(\n${body}${parts.length > 0 ? '\n' : ''}${indent})${end}`
  }

const block =
  (title: string, parts: readonly Part[]): Part =>
  (indent) =>
    `${indent}${title} {\n${parts.map((part) => part(indent + STEP)).join('')}${indent}};\n`

function valuePart(data: Value): Part[] {
  if (isSimple(data)) return [line(data)]
  if (!isDict(data)) return []
  const [type, value] = only(data)
  const args = isSimple(value) ? [line(value)] : isList(value) ? value.map((item) => line(item)) : []
  return [call(type, args, '\n', '')]
}

function parameterOf(data: Value): Part {
  if (isSimple(data)) return line(data)
  const [type, value] = only(data)
  const values = isSimple(value) && value !== '' ? [line(value)] : isList(value) ? value.flatMap(valuePart) : []
  return call(type, values, ',\n', '')
}

function optionOf(data: Value): Part {
  const [type, params] = only(data)
  const parts = isSimple(params) ? [line(params)] : Array.from(iterate(params), parameterOf)
  return call(type, parts, ',\n', ';\n')
}

const isReference = (data: Value): data is Dict =>
  isDict(data) && data.size === 1 && textOf([...data.values()][0]!) !== undefined

const isInline = (data: Value): data is Dict => isDict(data) && data.size === 1 && isList([...data.values()][0]!)

/** Return a part of a log path: the name of a statement, an inline statement, or a junction of channels. */
function pathPart(data: Value, hasJunctions: boolean): Part[] {
  if (isReference(data)) return [optionOf(data)]
  if (!isInline(data)) return []
  const [type, inner] = only(data)
  if (!hasJunctions || type !== 'junction') return [block(type, Array.from(iterate(inner), optionOf))]
  const channels = Array.from(iterate(inner), (channel) =>
    block(
      'channel',
      Array.from(iterate(only(channel)[1])).flatMap((part) => pathPart(part, false)),
    ),
  )
  return [block('junction', channels)]
}

/** `name` is an ID whose data begins with the type, or `type.id`. */
export function configText(name: string, data: Value): string {
  const dot = name.indexOf('.')
  const [type, id, options] =
    dot >= 0 ? [name.slice(0, dot), name.slice(dot + 1), data] : [only(data)[0], name, getItem(data, only(data)[0])]
  if (type === 'config') return `${str(options)}\n`
  const list = Array.from(iterate(options))
  if (type === 'log')
    return block(
      'log',
      list.flatMap((part) => pathPart(part, true)),
    )('')
  return block(UNNAMED.includes(type) ? type : `${type} ${id}`, list.map(optionOf))('')
}
