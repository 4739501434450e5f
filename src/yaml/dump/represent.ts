// Converts values to nodes: PyYAML's representers with the changes of Salt's dumper classes. Collections that occur
// twice or contain themselves become one node each.
import {
  type Dict,
  Encoded,
  Float,
  floatText,
  isFloat,
  NamedDict,
  OrderedDict,
  order,
  PyDate,
  PyError,
  type PyObject,
  PySet,
  PyStr,
  qualifiedTypeName,
  repr,
  str,
  Tuple,
  type Value,
} from '../../data/mod.ts'
import { YamlError } from '../errors.ts'
import { BINARY, BOOL, FLOAT, INT, MAP, NULL, SEQ, SET, STR, TIMESTAMP, YAML_PREFIX } from '../tags.ts'
import type { YamlDialect } from './dialect.ts'
import { DumpNode, type ScalarStyle } from './node.ts'

export interface RepresentOptions {
  defaultStyle: ScalarStyle
  /** Null: a collection of plain scalars goes between brackets, any other does not. */
  defaultFlowStyle: boolean | null
  sortKeys: boolean
}

/** Python's recursion limit. */
const DEEPEST = 1000

export class Representer {
  private readonly dialect: YamlDialect
  private readonly options: RepresentOptions
  private readonly known = new Map<object, DumpNode>()
  private depth = 0

  constructor(dialect: YamlDialect, options: RepresentOptions) {
    this.dialect = dialect
    this.options = options
  }

  node(value: Value): DumpNode {
    if (value === null) return this.scalar(NULL, 'null')
    switch (typeof value) {
      case 'string':
        return this.scalar(STR, value)
      case 'boolean':
        return this.scalar(BOOL, value ? 'true' : 'false')
      case 'bigint':
        return this.scalar(INT, value.toString())
      case 'number':
        return isFloat(value) ? this.scalar(FLOAT, floatScalar(value)) : this.scalar(INT, str(value))
      default:
        return this.objectNode(value)
    }
  }

  private scalar(tag: string, text: string, style: ScalarStyle = this.options.defaultStyle): DumpNode {
    return new DumpNode('scalar', tag, text, style)
  }

  private objectNode(value: Exclude<Value, string | boolean | bigint | number | null>): DumpNode {
    if (value instanceof Float) return this.scalar(FLOAT, floatScalar(value.value))
    if (value instanceof Uint8Array) return this.scalar(BINARY, encodeBytes(value), '|')
    if (value instanceof Encoded) return this.node(value.unpack())
    if (value instanceof PyStr) return this.dialect.subclasses ? this.scalar(STR, value.value) : this.other(value)
    const known = this.known.get(value)
    if (known) return known
    if (++this.depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
    const node = this.collectionNode(value)
    this.depth--
    return node
  }

  private collectionNode(value: Value[] | Dict | PyObject): DumpNode {
    if (Array.isArray(value)) return this.arrayNode(value)
    if (value instanceof Map) return this.mapNode(value)
    if (value instanceof PySet && value.typeName === 'set')
      return this.mapping(SET, value, this.sorted(setPairs(value)))
    if (isDate(value)) return this.remember(value, this.scalar(TIMESTAMP, value.str()))
    return this.other(value)
  }

  private arrayNode(value: Value[]): DumpNode {
    const prototype = Object.getPrototypeOf(value)
    const plain = prototype === Array.prototype || prototype === Tuple.prototype
    if (!plain && !this.dialect.subclasses) return this.other(value)
    return this.sequence(prototype === Tuple.prototype ? this.dialect.tupleTag : SEQ, value)
  }

  private mapNode(value: Dict): DumpNode {
    const prototype = Object.getPrototypeOf(value)
    if (prototype === Map.prototype) return this.mapping(MAP, value, this.sorted([...value]))
    const kind = this.dictKind(value, prototype === OrderedDict.prototype)
    if (kind === 'in-order') return this.mapping(MAP, value, [...value])
    if (kind === 'as-dict') return this.mapping(MAP, value, this.sorted([...value]))
    return kind === 'as-object' ? this.orderedObject(value) : this.other(value)
  }

  private dictKind(value: Dict, ordered: boolean): YamlDialect['orderedDicts'] {
    if (ordered) return this.dialect.orderedDicts
    if (this.dialect.subclasses) return this.dialect.orderedDicts
    const name = value instanceof NamedDict ? value.typeName : ''
    if (name === 'HashableOrderedDict') return 'in-order'
    return KNOWN_DICTS.has(name) ? 'as-dict' : 'other'
  }

  /** `!!python/object/apply:collections.OrderedDict` with the pairs. */
  private orderedObject(value: Dict): DumpNode {
    const pairs = Array.from(value, ([key, item]): Value[] => [key, item])
    return this.sequence(`${YAML_PREFIX}python/object/apply:collections.OrderedDict`, [pairs], value)
  }

  private other(value: Value): DumpNode {
    if (this.dialect.others === 'null') return this.remember(value, this.scalar(NULL, 'NULL'))
    if (this.dialect.others === 'error') {
      throw new YamlError('RepresenterError', `('cannot represent an object', ${repr(value)})`)
    }
    const node = new DumpNode('mapping', `${YAML_PREFIX}python/object:${qualifiedTypeName(value)}`)
    node.flow = true
    return this.remember(value, node)
  }

  private remember(value: Value, node: DumpNode): DumpNode {
    if (typeof value !== 'object' || value === null || value instanceof PyStr) return node
    if (value instanceof Tuple && value.length === 0) return node
    this.known.set(value, node)
    return node
  }

  private sequence(tag: string, items: Value[], origin: Value = items): DumpNode {
    const node = this.remember(origin, new DumpNode('sequence', tag))
    for (const item of items) node.items.push(this.node(item))
    return this.styled(node)
  }

  private mapping(tag: string, origin: Value, pairs: Array<[Value, Value]>): DumpNode {
    const node = this.remember(origin, new DumpNode('mapping', tag))
    for (const [key, value] of pairs) node.items.push(this.node(key), this.node(value))
    return this.styled(node)
  }

  private styled(node: DumpNode): DumpNode {
    const { defaultFlowStyle } = this.options
    node.flow = defaultFlowStyle ?? node.items.every((item) => item.kind === 'scalar' && item.style === '')
    return node
  }

  /** Sort by key in Python's order; unchanged if two keys cannot be compared. */
  private sorted(pairs: Array<[Value, Value]>): Array<[Value, Value]> {
    if (!this.options.sortKeys || pairs.length < 2) return pairs
    let comparable = true
    const sorted = [...pairs].sort(([a], [b]) => {
      const result = comparable ? orderOrUndefined(a, b) : 0
      if (result === undefined) comparable = false
      return result ?? 0
    })
    return comparable ? sorted : pairs
  }
}

/** Salt's own dict classes that its dumpers know. */
const KNOWN_DICTS = new Set(['defaultdict', 'NamespacedDictWrapper', 'OptsDict', 'DictProxy', 'MaskedDict'])

function orderOrUndefined(a: Value, b: Value): number | undefined {
  try {
    return order(a, b)
  } catch (error) {
    if (error instanceof PyError && error.code === 'TypeError') return undefined
    throw error
  }
}

const setPairs = (set: PySet): Array<[Value, Value]> => Array.from(set.values(), (item) => [item, null])

const isDate = (value: PyObject): value is PyDate => value instanceof PyDate

function floatScalar(n: number): string {
  if (Number.isNaN(n)) return '.nan'
  if (!Number.isFinite(n)) return n > 0 ? '.inf' : '-.inf'
  const text = floatText(n)
  return text.includes('.') ? text : text.replace('e', '.0e')
}

/** Base64 in lines of 76 characters, each with its line feed. */
function encodeBytes(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return text.replace(/.{1,76}/g, '$&\n')
}
