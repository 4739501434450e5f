// The `xml` filter: nested dicts become elements, their plain values attributes, and lists repeat an element. It
// keeps the steps of Salt's own, so that odd input fails or drops out in the same places.
import {
  Float,
  isDict,
  isList,
  iterate,
  PyError,
  parseXml,
  prettyXml,
  str,
  Tuple,
  textOf,
  typeError,
  type Value,
  valueError,
  type XmlElement,
  xmlLine,
} from '../../../data/mod.ts'
import { JinjaError } from '../../errors.ts'
import { className } from '../python-type.ts'

/** A pair of tag and content, unpacked as Python would. */
function unpackPair(entry: Value): [Value, Value] {
  const parts = [...iterate(entry)]
  if (parts.length > 2) throw valueError('too many values to unpack (expected 2)')
  if (parts.length < 2) throw valueError(`not enough values to unpack (expected 2, got ${parts.length})`)
  return parts as [Value, Value]
}

/** Return the tags with contents: the items of a dict, or the texts of a list. */
function entriesOf(value: Value): Value[] {
  if (Array.isArray(value)) {
    const first = value[0]
    if (first === undefined) {
      throw new PyError('IndexError', `${value instanceof Tuple ? 'tuple' : 'list'} index out of range`)
    }
    return textOf(first) === undefined ? [] : value
  }
  if (isDict(value)) return Array.from(value, (pair) => Tuple.from(pair))
  throw new JinjaError('TemplateRuntimeError', 'Value is not a dict or list. Cannot render as XML')
}

/** `entry[1]`, where an entry may be a text. */
function contentOf(entry: Value): Value {
  const text = textOf(entry)
  const second = text === undefined ? (entry as Value[])[1] : Array.from(text)[1]
  if (second === undefined) throw new PyError('IndexError', 'string index out of range')
  return second
}

/** An element before its names are checked to be text, which Python does only when it writes them. */
interface Draft {
  tag: Value
  attributes: Map<Value, string>
  children: Array<Draft | string>
}

function nameOf(tag: Value): string {
  const name = textOf(tag)
  if (name === undefined) throw typeError(`cannot serialize ${str(tag)} (type ${className(tag)})`)
  return name
}

function finished({ tag, attributes, children }: Draft): XmlElement {
  const name = nameOf(tag)
  const named = new Map(Array.from(attributes, ([key, value]) => [nameOf(key), value]))
  return {
    name,
    attributes: named,
    children: children.map((child) => (typeof child === 'string' ? child : finished(child))),
  }
}

const isScalar = (value: Value): boolean =>
  textOf(value) !== undefined ||
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  value instanceof Float

function attributesOf(content: Map<Value, Value>): Map<Value, string> {
  const attributes = new Map<Value, string>()
  for (const [key, value] of content) {
    if (!isDict(value) && !isList(value)) attributes.set(key, str(value))
  }
  return attributes
}

/** Add an element for each entry to the parent; return the last one. */
function build(entries: Iterable<Value>, parent: Draft | undefined): Draft | undefined {
  let made: Draft | undefined
  for (const entry of entries) {
    const [tag, content] = unpackPair(entry)
    if (isList(content)) for (const item of content) build([Tuple.of(tag, item)], parent)
    else {
      made = { tag, attributes: new Map(), children: [] }
      parent?.children.push(made)
    }
    if (isScalar(content)) {
      if (str(content) !== '') made!.children.push(str(content))
      continue
    }
    if (isDict(content) && made) made.attributes = attributesOf(content)
    for (const inner of entriesOf(content)) {
      const value = contentOf(inner)
      if (isDict(value) || isList(value)) build([inner], made)
    }
  }
  return made
}

/** The value as indented XML. */
export function toXml(value: Value): string {
  const root = build(entriesOf(value), undefined)
  if (root === undefined) throw new PyError('AttributeError', "'NoneType' object has no attribute 'iter'")
  // write and parse again, because invalid names and characters are detected only then
  return prettyXml(parseXml(xmlLine(finished(root))), ' ')
}
